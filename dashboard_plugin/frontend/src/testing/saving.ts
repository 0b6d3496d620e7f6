/** What the page hands to the user as files from here on, in their order. */
export function savedFiles(): readonly { readonly name: string; readonly text: Promise<string> }[] {
  const saved: { name: string; text: Promise<string> }[] = [];
  let blob = new Blob();
  URL.createObjectURL = (made: Blob): string => {
    blob = made;
    return 'blob:x';
  };
  URL.revokeObjectURL = (): void => undefined;
  HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement): void {
    saved.push({ name: this.download, text: textOf(blob) });
  };
  return saved;
}

function textOf(blob: Blob): Promise<string> {
  return new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result as string);
    reader.readAsText(blob);
  });
}
