// Reading what the recorder packed: base64 around zlib around varints.

/** The bytes of a <script type="text/plain"> element with base64 text. */
export async function unpack(id: string): Promise<Uint8Array> {
  const element = document.getElementById(id);
  if (!element) throw new Error(`this page lacks its part ${id}`);
  const text = atob(element.textContent ?? '');
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Reader {
  at = 0;
  constructor(readonly bytes: Uint8Array) {}

  byte(): number {
    return this.bytes[this.at++];
  }
  /** A number below 2^53. */
  varint(): number {
    let byte = this.bytes[this.at++];
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let scale = 0x80;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
    } while (byte >= 0x80);
    return value;
  }
  /** A number of either sign. */
  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
  u32(): number {
    const b = this.bytes;
    const value = b[this.at] | (b[this.at + 1] << 8) | (b[this.at + 2] << 16) | (b[this.at + 3] << 24);
    this.at += 4;
    return value >>> 0;
  }
}
