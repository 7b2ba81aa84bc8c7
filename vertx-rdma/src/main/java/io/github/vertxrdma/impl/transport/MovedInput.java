package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayDeque;

/** Bytes that a moved channel received over a fabric and has not passed on. Confined to the channel's event loop. */
final class MovedInput {
  private static final int HIGH = 256 << 10;
  /** More than a peer sends before it sees that this side returns to TCP. */
  private static final int HURRIED = 16 << 20;
  private static final int LOW = 64 << 10;
  /** Maximum number of reads that one {@code channelReadComplete} ends, as in Netty's TCP channels. */
  private static final int MOST_READS = 16;

  private final Runnable delivered;
  private final Runnable task = this::deliver;
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
  private ChannelHandlerContext context;
  private ByteStream stream;
  /** True if the bytes begin at the head of the pipeline, with handlers that follow the one that receives them. */
  private boolean fromHead;
  private int waitingBytes;
  private int most = HIGH;
  private long received;
  private boolean readable;
  private boolean readPending;
  private boolean readIsAutomatic;
  private boolean scheduled;
  private boolean peerPaused;

  /** @param delivered called when bytes were passed on, perhaps not all */
  MovedInput(Runnable delivered) {
    this.delivered = delivered;
  }

  /** Sets the place in the pipeline from which bytes are passed on. */
  void context(ChannelHandlerContext value) {
    context = value;
  }

  /** Passes all bytes on from the head of the pipeline, also those that come later. */
  void toHead() {
    fromHead = true;
    deliverAll();
  }

  void begin(ByteStream from) {
    stream = from;
    received = 0;
    most = HIGH;
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
    append(bytes);
    pausePeer();
  }

  /** Sets whether to receive more than usual before the peer is paused. */
  void hurry(boolean on) {
    most = on ? HURRIED : HIGH;
    if (peerPaused && waitingBytes <= most) {
      peerPaused = false;
      stream.receiving(true);
    }
    pausePeer();
  }

  private void pausePeer() {
    if (waitingBytes > most && !peerPaused) {
      peerPaused = true;
      stream.receiving(false);
    }
  }

  /** Adds bytes that came by TCP after those of the stream. */
  void append(ByteBuf bytes) {
    waitingBytes += bytes.readableBytes();
    waiting.add(bytes);
    if (fromHead) {
      deliverAll();
    } else {
      schedule();
    }
  }

  /** Sets whether bytes may be passed on: not before all that came before them by TCP. */
  void setReadable(boolean on) {
    readable = on;
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
    if (fromHead) {
      context.pipeline().fireChannelRead(next);
    } else {
      context.fireChannelRead(next);
    }
  }

  private void complete() {
    if (peerPaused && waitingBytes <= LOW) {
      peerPaused = false;
      stream.receiving(true);
    }
    if (fromHead) {
      context.pipeline().fireChannelReadComplete();
    } else {
      context.fireChannelReadComplete();
    }
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
