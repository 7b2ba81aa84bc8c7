package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Makes what a channel has to write into pieces worth sending. */
final class OutboundChunks {
  /** Bytes below which writes that wait together are sent together. */
  static final int SMALL = 4 << 10;
  /** Bytes of writes that are sent together: with its header it fits one receive of the default size. */
  private static final int GATHERED = 15 << 10;
  /** Bytes read from a file at once. */
  private static final int FILE = 64 << 10;

  private OutboundChunks() {
  }

  /** Takes small buffers from the front and copies them into one. @param most bytes of one write, not less than the first of them has */
  static ByteBuf gather(ChannelOutboundBuffer in, ByteBufAllocator allocator, int most) {
    ByteBuf gathered = allocator.directBuffer(Math.min(GATHERED, most));
    while (in.current() instanceof ByteBuf next && next.readableBytes() <= gathered.writableBytes()) {
      gathered.writeBytes(next, next.readerIndex(), next.readableBytes());
      in.remove();
    }
    return gathered;
  }

  /** Reads the next piece of a file; takes the region from the front after its last one. @param most bytes of one write */
  static ByteBuf read(ChannelOutboundBuffer in, FileRegion region, ByteBufAllocator allocator, int most) throws IOException {
    long left = region.count() - region.transferred();
    ByteBuf piece = allocator.directBuffer((int) Math.min(Math.min(FILE, most), Math.max(left, 1)));
    try {
      long read = left == 0 ? 0 : region.transferTo(new Into(piece), region.transferred());
      if (read <= 0 && left > 0) {
        throw new EOFException("a file ended " + left + " bytes before the region of it that was to be sent");
      }
      in.progress(read);
      if (read == left) {
        in.remove();
      }
      return piece;
    } catch (IOException | RuntimeException e) {
      piece.release();
      throw e;
    }
  }

  /** Takes as much as the buffer has room for. */
  private record Into(ByteBuf buffer) implements WritableByteChannel {

    @Override
    public int write(ByteBuffer source) {
      int size = Math.min(source.remaining(), buffer.writableBytes());
      buffer.writeBytes(source.slice(source.position(), size));
      source.position(source.position() + size);
      return size;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {
    }
  }
}
