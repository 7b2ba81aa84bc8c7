package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.FileRegion;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Reads file regions in pieces as they leave. */
final class FilePieces {
  private static final int FILE = 64 << 10;

  private FilePieces() {
  }

  /** Returns the next piece of the region; empty at its end. */
  static ByteBuf read(FileRegion region, ByteBufAllocator allocator, int most) throws IOException {
    long left = region.count() - region.transferred();
    if (left <= 0) {
      return allocator.buffer(0);
    }
    ByteBuf piece = allocator.directBuffer((int) Math.min(Math.min(FILE, most), left));
    try {
      if (region.transferTo(new Into(piece), region.transferred()) <= 0) {
        throw new EOFException("cannot send a file region: the file ends " + left + " bytes before the end of the region. Write a "
          + "region that lies within the file");
      }
      return piece;
    } catch (IOException | RuntimeException e) {
      piece.release();
      throw e;
    }
  }

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
