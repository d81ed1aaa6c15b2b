// The server's side of a websocket (RFC 6455): frames in, frames out, nothing of what they mean.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const maxFrameBytes = 4 * 1024 * 1024;

export function acceptUpgrade(request: IncomingMessage, socket: Duplex): void {
  const key = request.headers['sec-websocket-key'] ?? '';
  const accept = createHash('sha1').update(`${key}${magic}`).digest('base64');
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
  socket.write(`${[...head, `Sec-WebSocket-Accept: ${accept}`].join('\r\n')}\r\n\r\n`);
}

export function frame(opcode: number, payload: Buffer): Buffer {
  const size = payload.length;
  const head = [0x80 | opcode];
  if (size < 126) return Buffer.concat([Buffer.from([...head, size]), payload]);
  const length = Buffer.alloc(size < 65_536 ? 2 : 8);
  if (size < 65_536) length.writeUInt16BE(size);
  else length.writeBigUInt64BE(BigInt(size));
  return Buffer.concat([Buffer.from([...head, size < 65_536 ? 126 : 127]), length, payload]);
}

export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** Takes bytes as they come and gives whole messages; parts of one are put together. */
export class FrameReader {
  #held = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #opcode = 0;

  *read(bytes: Buffer): Generator<Frame> {
    this.#held = Buffer.concat([this.#held, bytes]);
    for (let next = this.#next(); next !== null; next = this.#next()) {
      if (next.opcode >= 8) {
        yield next;
        continue;
      }
      if (next.opcode !== 0) this.#opcode = next.opcode;
      this.#parts.push(next.payload);
      if (!next.isLast) continue;
      yield { opcode: this.#opcode, payload: Buffer.concat(this.#parts) };
      this.#parts = [];
    }
  }

  #next(): (Frame & { readonly isLast: boolean }) | null {
    const held = this.#held;
    if (held.length < 2) return null;
    const [first = 0, second = 0] = held;
    const short = second & 0x7f;
    const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
    const start = 2 + extra + 4;
    if (held.length < start) return null;
    const size = extra === 0 ? short : extra === 2 ? held.readUInt16BE(2) : Number(held.readBigUInt64BE(2));
    if (size > maxFrameBytes) throw new Error(`A frame of ${size} bytes; the most is ${maxFrameBytes}`);
    if (held.length < start + size) return null;
    const mask = held.subarray(start - 4, start);
    const payload = Buffer.from(held.subarray(start, start + size));
    for (let index = 0; index < payload.length; index += 1)
      payload[index] = (payload[index] ?? 0) ^ (mask[index & 3] ?? 0);
    this.#held = held.subarray(start + size);
    return { opcode: first & 0x0f, payload, isLast: (first & 0x80) !== 0 };
  }
}
