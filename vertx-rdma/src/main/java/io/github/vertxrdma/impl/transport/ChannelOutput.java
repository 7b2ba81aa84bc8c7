package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import java.io.IOException;

/**
 * The writing half of a channel. Its stream has a send buffer as a socket has: what fits is written at once and counts as written, the rest
 * waits in the channel and makes it unwritable. Confined to the channel's event loop.
 */
final class ChannelOutput {
  /** Bytes that the stream may have taken and not yet handed to the fabric. */
  private static final int SEND_BUFFER = 256 << 10;
  /** Bytes that a write costs besides its own. */
  private static final int OVERHEAD = 64;

  private final RdmaChannel channel;
  private int inFlight;
  private boolean broken;

  ChannelOutput(RdmaChannel channel) {
    this.channel = channel;
  }

  /** Writes what the send buffer has room for; the rest goes when the stream has handed on what it has. */
  void write(ChannelOutboundBuffer in) throws IOException {
    while (inFlight < SEND_BUFFER && !broken) {
      Object message = in.current();
      if (message == null) {
        return;
      }
      int most = channel.stream().maxWrite();
      if (message instanceof ByteBuf bytes) {
        if (bytes.readableBytes() < Math.min(OutboundChunks.SMALL, most) && in.size() > 1) {
          send(OutboundChunks.gather(in, channel.alloc(), most));
        } else {
          writeWhole(in, bytes, most);
        }
      } else {
        send(OutboundChunks.read(in, (FileRegion) message, channel.alloc(), most));
      }
    }
  }

  private void writeWhole(ChannelOutboundBuffer in, ByteBuf bytes, int most) {
    while (bytes.readableBytes() > most) {
      ByteBuf part = bytes.readRetainedSlice(most);
      in.progress(most);
      send(part);
      if (inFlight >= SEND_BUFFER) {
        return;
      }
    }
    if (bytes.isReadable()) {
      send(bytes.readRetainedSlice(bytes.readableBytes()));
    }
    in.remove();
  }

  private void send(ByteBuf bytes) {
    if (!bytes.isReadable()) {
      bytes.release();
      return;
    }
    int size = bytes.readableBytes() + OVERHEAD;
    inFlight += size;
    channel.stream().write(bytes, (v, cause) -> sent(size, cause));
  }

  private void sent(int size, Throwable cause) {
    // Bytes that wait are not to be taken for written by a stream that is about to say why it is over.
    broken |= cause != null;
    boolean full = inFlight >= SEND_BUFFER;
    inFlight -= size;
    if (full && inFlight < SEND_BUFFER && !broken) {
      channel.flushAgain();
    }
  }
}
