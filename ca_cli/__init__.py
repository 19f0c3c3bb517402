"""The command line of `ca`: arguments, exit codes, console. No analysis happens here."""
