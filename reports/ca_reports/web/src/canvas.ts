// What the two pictures share: a canvas that is sharp, and redrawn once a frame at most.

export class Surface {
  readonly context: CanvasRenderingContext2D;
  width = 0;
  height = 0;
  ratio = 1;
  private asked = false;
  // Kept for tests and for the curious: what the last frames took, in milliseconds.
  readonly frames: number[] = [];

  constructor(readonly canvas: HTMLCanvasElement, private readonly draw: () => void) {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("no canvas");
    this.context = context;
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  resize(): void {
    const box = this.canvas.getBoundingClientRect();
    if (!box.width || !box.height) return;
    this.ratio = window.devicePixelRatio || 1;
    this.width = box.width;
    this.height = box.height;
    this.canvas.width = Math.round(box.width * this.ratio);
    this.canvas.height = Math.round(box.height * this.ratio);
    this.redraw();
  }

  redraw(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      if (!this.width) return;
      const began = performance.now();
      this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      this.context.clearRect(0, 0, this.width, this.height);
      this.draw();
      this.frames.push(performance.now() - began);
      if (this.frames.length > 500) this.frames.shift();
    });
  }
}

// The colours of the style sheet, so that both themes are in one place.
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function palette<Name extends string>(names: readonly Name[]): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, colour(name)])) as Record<Name, string>;
}
