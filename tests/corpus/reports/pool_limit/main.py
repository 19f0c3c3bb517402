"""Desktop trainer: the window's Start button runs the job in its own thread."""
import argparse
from concurrent.futures import ThreadPoolExecutor

import compile_setup
from job import JobConfig, TrainingJob


class Window:
    """Stand-in for the GUI: one button, one worker thread."""

    def __init__(self, config):
        self.config = config
        self.pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="training")
        self.progress = []

    def on_progress(self, step, loss):
        self.progress.append(loss)
        print("step %d loss %.5f" % (step, loss))

    def start_clicked(self):
        return self.pool.submit(self._work)

    def _work(self):
        job = TrainingJob(self.config, self.on_progress)
        return job.run()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--rate", type=float, default=0.02)
    options = parser.parse_args()
    compile_setup.prepare()
    window = Window(JobConfig(steps=options.steps, rate=options.rate))
    total = window.start_clicked().result()
    print("FINAL %.5f" % total)


if __name__ == "__main__":
    main()
