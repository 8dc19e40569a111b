// The search runs in a worker, which browsers refuse to pages opened from disk. This runs the
// worker's script in a hidden frame instead. Messages are copied and come later, as a worker's do.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.send(data, (event) => this.report(event));
      this.loaded = new Promise((resolve) => {
        const script = inside.document.createElement("script");
        script.src = new URL(address, location.href);
        script.addEventListener("load", () => resolve(inside));
        script.addEventListener("error", () => this.report(new ErrorEvent("error")));
        inside.document.body.append(script);
      });
    }

    send(data, receive) {
      const event = new MessageEvent("message", { data: structuredClone(data) });
      setTimeout(() => receive(event));
    }

    report(event) {
      this[`on${event.type}`]?.(event);
      this.dispatchEvent(event);
    }

    async postMessage(data) {
      const inside = await this.loaded;
      this.send(data, (event) => inside.dispatchEvent(event));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
