package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayDeque;

/** Bytes that a moved channel received over a fabric and has not passed on. Confined to the channel's event loop. */
final class MovedInput {
  private static final int HIGH = 256 << 10;
  private static final int LOW = 64 << 10;
  /** Maximum number of reads that one {@code channelReadComplete} ends, as in Netty's TCP channels. */
  private static final int MOST_READS = 16;

  private final ChannelHandlerContext context;
  private final Runnable delivered;
  private final Runnable task = this::deliver;
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
  private ByteStream stream;
  private int waitingBytes;
  private long received;
  private boolean readable;
  private boolean readPending;
  private boolean readIsAutomatic;
  private boolean scheduled;
  private boolean peerPaused;

  /** @param delivered called when bytes were passed on, perhaps not all */
  MovedInput(ChannelHandlerContext context, Runnable delivered) {
    this.context = context;
    this.delivered = delivered;
  }

  void begin(ByteStream from) {
    stream = from;
    received = 0;
  }

  /** Number of bytes received over the stream. */
  long received() {
    return received;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  void add(ByteBuf bytes) {
    received += bytes.readableBytes();
    waitingBytes += bytes.readableBytes();
    waiting.add(bytes);
    if (waitingBytes > HIGH && !peerPaused) {
      peerPaused = true;
      stream.receiving(false);
    }
    schedule();
  }

  /** Permits passing bytes on, when all bytes that came before them by TCP have been. */
  void setReadable() {
    readable = true;
    schedule();
  }

  void read() {
    readPending = true;
    readIsAutomatic = context.channel().config().isAutoRead();
    schedule();
  }

  /** Forgets a read that was answered by other bytes. */
  void answered() {
    readPending = false;
  }

  private boolean mayDeliver() {
    // A read without demand ends when autoRead is switched off.
    return readable && !waiting.isEmpty() && readPending && (!readIsAutomatic || context.channel().config().isAutoRead());
  }

  // Delivers in a task, which merges bytes that arrive together.
  private void schedule() {
    if (!scheduled && mayDeliver()) {
      scheduled = true;
      context.executor().execute(task);
    }
  }

  private void deliver() {
    scheduled = false;
    if (mayDeliver()) {
      readPending = false;
      int reads = 0;
      do {
        passOn();
      } while (++reads < MOST_READS && !waiting.isEmpty() && context.channel().config().isAutoRead());
      complete();
    }
  }

  /** Passes all bytes on, without waiting for reads. */
  void deliverAll() {
    if (readable && !waiting.isEmpty()) {
      while (!waiting.isEmpty()) {
        passOn();
      }
      complete();
    }
  }

  private void passOn() {
    ByteBuf next = waiting.poll();
    waitingBytes -= next.readableBytes();
    context.fireChannelRead(next);
  }

  private void complete() {
    if (peerPaused && waitingBytes <= LOW) {
      peerPaused = false;
      stream.receiving(true);
    }
    context.fireChannelReadComplete();
    if (context.channel().isActive() && context.channel().config().isAutoRead()) {
      context.channel().read();
    }
    schedule();
    delivered.run();
  }

  /** Drops all bytes. @return whether the application has not read everything */
  boolean drop() {
    boolean unread = !waiting.isEmpty() || peerPaused;
    waiting.forEach(ByteBuf::release);
    waiting.clear();
    waitingBytes = 0;
    return unread;
  }
}
