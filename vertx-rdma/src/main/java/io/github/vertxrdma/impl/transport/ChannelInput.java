package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.handler.traffic.AbstractTrafficShapingHandler;
import java.io.IOException;
import java.util.ArrayDeque;

/**
 * The reading half of a channel: bytes of its stream on their way to the pipeline, and the end behind them. Bytes wait for a read. An end
 * with nothing before it does not wait. When the stream is closed, the bytes before its end do not wait either: the pipeline gets them
 * without a read, then the channel is closed. A socket of epoll behaves so, and Vert.x keeps for a paused reader what it gets. Confined to
 * the channel's event loop.
 */
final class ChannelInput implements ByteStream.Receiver {
  /** Bytes received and not read at which the peer is held back, and at which it may go on. */
  private static final int HIGH = 256 << 10;
  private static final int LOW = 64 << 10;
  /** Bytes of one read at most where bandwidth is limited, as of a socket: who limits it decides after each. */
  private static final int LIMITED_READ = 64 << 10;

  /** State of the stream behind the bytes that wait: it goes on, the peer sends no more, or it is over. */
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
  private boolean heldBack;
  private volatile boolean shutdown;

  ChannelInput(RdmaChannel channel) {
    this.channel = channel;
  }

  /** Tells whether nothing more is read: the peer has ended, or this side wants nothing. Any thread. */
  boolean isShutdown() {
    return shutdown;
  }

  /** Drops what comes from now on. */
  void shutdown() {
    shutdown = true;
  }

  // ---- from the stream

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
    if (waitingBytes > HIGH && !heldBack) {
      heldBack = true;
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

  // ---- to the pipeline

  /** The pipeline wants to read. */
  void read() {
    if (!readPending) {
      readPending = true;
      if (!waiting.isEmpty() || behind != Behind.BYTES) {
        schedule();
      }
    }
  }

  /** The pipeline does not want to read any more. */
  void readCleared() {
    readPending = false;
  }

  // As a task, so that messages that came together are read together and the poller's turn stays short.
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

  // The handle is what Channel.Unsafe gives.
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
      // Says no once a handler has switched automatic reading off, so that what it meant to hold back is held back.
    } while (reads.continueReading() && channel.isOpen() && (next = waiting.poll()) != null);
    reads.readComplete();
    if (heldBack && waitingBytes <= LOW && channel.isOpen()) {
      heldBack = false;
      channel.stream().receiving(true);
    }
    channel.pipeline().fireChannelReadComplete();
  }

  private void end() {
    shutdown = true;
    if (channel.config().allowHalfClosure()) {
      channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
      channel.pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
    } else {
      channel.unsafe().close(channel.voidPromise());
    }
  }

  private void close() {
    Throwable cause = failure;
    failure = null;
    // A socket whose peer ends is closed without an exception, too.
    if (cause != null && (channel.hasFailedWrites() || !(cause instanceof ByteStream.PeerEnded))) {
      channel.pipeline().fireExceptionCaught(cause instanceof IOException ? cause : new IOException(cause.getMessage(), cause));
    } else if (!shutdown) {
      // The close is the end of the peer's bytes too.
      end();
    }
    if (channel.isOpen()) {
      channel.unsafe().close(channel.voidPromise());
    }
  }

  // ---- the end

  /** Drops what was not read. @return whether there was something, or there may be more that the peer was kept from sending */
  boolean drop() {
    boolean unread = !waiting.isEmpty() || heldBack;
    waiting.forEach(ByteBuf::release);
    waiting.clear();
    return unread;
  }
}
