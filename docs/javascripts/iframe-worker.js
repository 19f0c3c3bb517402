// Search without a server: a page from file:// may start no worker, so that the script of one runs
// in a hidden frame instead. The theme asks for a file of this name.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(address) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.inside = frame.contentWindow
      this.inside.postMessage = data => this.receive(data)
      this.ready = new Promise((resolve, reject) => {
        const script = this.inside.document.createElement("script")
        script.src = new URL(address, location.href)
        script.onload = resolve
        script.onerror = reject
        this.inside.document.head.append(script)
      })
    }
    receive(data) {
      const event = new MessageEvent("message", { data })
      this.onmessage?.(event)
      this.dispatchEvent(event)
    }
    postMessage(data) {
      this.ready.then(() => {
        const event = new this.inside.MessageEvent("message", { data })
        this.inside.dispatchEvent(event)
      })
    }
    terminate() {
      this.inside.frameElement?.remove()
    }
  }
