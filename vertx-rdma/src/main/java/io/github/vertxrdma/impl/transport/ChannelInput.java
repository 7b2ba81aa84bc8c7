package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.handler.traffic.AbstractTrafficShapingHandler;
import java.io.IOException;
import java.util.ArrayDeque;

/**
 * Inbound half of a channel. Queues bytes until they are read, and reports the end after them. After a close by the peer, passes on all
 * bytes without waiting for reads. Confined to the channel's event loop.
 */
final class ChannelInput implements ByteStream.Receiver {
  private static final int HIGH = 256 << 10;
  private static final int LOW = 64 << 10;
  /** Maximum bytes per read with traffic shaping. */
  private static final int LIMITED_READ = 64 << 10;

  private enum Behind {
    BYTES, END, CLOSE
  }

  private final RdmaChannel channel;
  private final Runnable readTask = this::deliver;
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
  private int waitingBytes;
  private Behind behind = Behind.BYTES;
  private Throwable failure;
  private boolean readPending;
  private boolean readScheduled;
  private boolean peerPaused;
  private volatile boolean shutdown;

  ChannelInput(RdmaChannel channel) {
    this.channel = channel;
  }

  boolean isShutdown() {
    return shutdown;
  }

  void shutdown() {
    shutdown = true;
  }

  @Override
  public void received(ByteBuf bytes) {
    if (!channel.isOpen() || shutdown) {
      bytes.release();
      return;
    }
    waitingBytes += bytes.readableBytes();
    if (bytes.readableBytes() > LIMITED_READ && channel.pipeline().get(AbstractTrafficShapingHandler.class) != null) {
      do {
        waiting.add(bytes.readRetainedSlice(LIMITED_READ));
      } while (bytes.readableBytes() > LIMITED_READ);
    }
    waiting.add(bytes);
    if (waitingBytes > HIGH && !peerPaused) {
      peerPaused = true;
      channel.stream().receiving(false);
    }
    if (readPending) {
      schedule();
    }
  }

  @Override
  public void ended() {
    if (behind == Behind.BYTES) {
      behind = Behind.END;
      if (readPending || waiting.isEmpty()) {
        schedule();
      }
    }
  }

  @Override
  public void closed(Throwable cause) {
    behind = Behind.CLOSE;
    failure = cause;
    if (!channel.isOpen()) {
      return;
    }
    if (waiting.isEmpty()) {
      close();
    } else {
      schedule();
    }
  }

  void read() {
    if (!readPending) {
      readPending = true;
      if (!waiting.isEmpty() || behind != Behind.BYTES) {
        schedule();
      }
    }
  }

  void readCleared() {
    readPending = false;
  }

  // Delivers in a task, which merges bytes that arrive together.
  private void schedule() {
    if (!readScheduled) {
      readScheduled = true;
      channel.eventLoop().execute(readTask);
    }
  }

  private void deliver() {
    readScheduled = false;
    do {
      if (channel.isOpen() && !waiting.isEmpty() && (readPending || behind == Behind.CLOSE)) {
        readPending = false;
        readWaiting();
      }
    } while (behind == Behind.CLOSE && channel.isOpen() && !waiting.isEmpty());
    if (!channel.isOpen()) {
      return;
    }
    if (!waiting.isEmpty()) {
      if (readPending) {
        schedule();
      }
    } else if (behind == Behind.CLOSE) {
      close();
    } else if (behind == Behind.END && !shutdown) {
      readPending = false;
      end();
    }
  }

  @SuppressWarnings("deprecation")
  private void readWaiting() {
    RecvByteBufAllocator.Handle reads = channel.unsafe().recvBufAllocHandle();
    reads.reset(channel.config());
    ByteBuf next = waiting.poll();
    do {
      int size = next.readableBytes();
      waitingBytes -= size;
      reads.incMessagesRead(1);
      reads.attemptedBytesRead(size);
      reads.lastBytesRead(size);
      channel.pipeline().fireChannelRead(next);
    } while (reads.continueReading() && channel.isOpen() && (next = waiting.poll()) != null);
    reads.readComplete();
    if (peerPaused && waitingBytes <= LOW && channel.isOpen()) {
      peerPaused = false;
      channel.stream().receiving(true);
    }
    channel.pipeline().fireChannelReadComplete();
  }

  private void end() {
    shutdown = true;
    if (channel.config().allowHalfClosure) {
      channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
      channel.pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
    } else {
      channel.unsafe().close(channel.voidPromise());
    }
  }

  private void close() {
    Throwable cause = failure;
    failure = null;
    if (cause != null && (channel.hasFailedWrites() || !(cause instanceof ByteStream.PeerEnded))) {
      channel.pipeline().fireExceptionCaught(cause instanceof IOException ? cause : new IOException(cause.getMessage(), cause));
    } else if (!shutdown) {
      end();
    }
    if (channel.isOpen()) {
      channel.unsafe().close(channel.voidPromise());
    }
  }

  boolean drop() {
    boolean unread = !waiting.isEmpty() || peerPaused;
    waiting.forEach(ByteBuf::release);
    waiting.clear();
    return unread;
  }
}
