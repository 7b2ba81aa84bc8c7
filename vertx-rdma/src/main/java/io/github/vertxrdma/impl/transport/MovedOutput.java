package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.netty.channel.PendingWriteQueue;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.internal.PromiseNotificationUtil;
import io.vertx.core.Completable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.function.BiConsumer;

/**
 * Messages of a moved channel: those not written to the fabric yet, which count as pending like in Netty's outbound buffer, and those whose
 * arrival is not certain yet, whose promises wait here. Confined to the channel's event loop.
 */
final class MovedOutput {
  private static final int OVERHEAD = 256;
  private static final int SMALL = 4 << 10;
  private static final int GATHERED = 15 << 10;

  private final ChannelHandlerContext context;
  private final Runnable changed;
  private final PendingWriteQueue waiting;
  private final ArrayDeque<ChannelPromise> unconfirmed = new ArrayDeque<>();
  private ByteStream stream;
  private int flushed;
  /** Bytes of the first waiting message that are written already. */
  private int position;
  private int inFlight;
  private long written;
  private long begun;
  private long completed;
  private Throwable failure;
  /** True if a write failed, so that all later ones fail. */
  private boolean lost;
  /** Failure of a message, in contrast to those of the stream; otherwise null. */
  private Throwable unreadable;
  /** True if nothing is written to the stream. */
  private boolean held = true;
  private boolean submitting;
  private boolean retiring;
  /** Linked lists of the writes in flight, oldest first, and of unused objects. */
  private Piece first;
  private Piece last;
  private Piece free;
  /** Write that small messages are gathered in; otherwise null. */
  private Piece gathering;
  /** Bytes of the gathered messages, or null if the stream gathers them itself. */
  private ByteBuf gathered;
  private int gatherRoom;

  /** @param changed called when writes were completed, or have failed */
  MovedOutput(ChannelHandlerContext context, Runnable changed) {
    this.context = context;
    this.changed = changed;
    this.waiting = new PendingWriteQueue(context);
  }

  private final class Piece implements Completable<Void> {
    private int cost;
    private int messages;
    private boolean reported;
    private boolean failed;
    private Piece next;

    boolean isReported() {
      return reported;
    }

    @Override
    public void complete(Void result, Throwable cause) {
      inFlight -= cost;
      reported = true;
      failed = cause != null;
      if (failed && failure == null) {
        failure = cause;
      }
      if (!submitting) {
        retire();
        if (flushed > 0) {
          submit();
        }
      }
    }
  }

  /** Sets the stream to which flushed messages are written after {@link #resume}. */
  void begin(ByteStream to) {
    stream = to;
    written = 0;
    held = true;
  }

  void resume() {
    held = false;
    submit();
  }

  /** Keeps what is not written to the stream. */
  void hold() {
    held = true;
  }

  /** Returns whether nothing is in flight, and the rest is kept. */
  boolean isHeld() {
    return held && first == null && !submitting && !retiring;
  }

  /** Number of bytes written to the stream. */
  long written() {
    return written;
  }

  /** Returns why a message could not be read, after which the stream is open, and nothing more is written; otherwise null. */
  Throwable unreadable() {
    return unreadable;
  }

  boolean isSubmitted() {
    return (failure != null || flushed == 0) && !submitting;
  }

  boolean isDone() {
    return isSubmitted() && first == null && !retiring;
  }

  long waitingBytes() {
    return waiting.bytes();
  }

  /** Number of bytes that wait, or that are not certain to arrive, with some for each message. */
  long unconfirmedBytes() {
    return waiting.bytes() + inFlight;
  }

  /** Returns the number of writes to streams so far. */
  long begun() {
    return begun;
  }

  long completed() {
    return completed;
  }

  int messages() {
    return unconfirmed.size() + waiting.size();
  }

  void add(Object message, ChannelPromise promise) {
    if (failure != null) {
      ReferenceCountUtil.release(message);
      fail(promise, new ClosedChannelException());
    } else if (!(message instanceof ByteBuf) && !(message instanceof FileRegion)) {
      ReferenceCountUtil.release(message);
      fail(promise, new UnsupportedOperationException("a channel can write ByteBuf and FileRegion only, not "
        + message.getClass().getName()));
    } else if (promise.isVoid() || promise.setUncancellable()) {
      waiting.add(message, promise);
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  void flush() {
    flushed = waiting.size();
    submit();
  }

  /** Fails the messages that were not written to the stream. */
  void failWaiting() {
    flushed = 0;
    position = 0;
    waiting.removeAndFailAll(new ClosedChannelException());
  }

  /** Fails the messages that were not flushed. */
  void failUnflushed() {
    ArrayDeque<ChannelPromise> promises = new ArrayDeque<>();
    ArrayDeque<Object> kept = new ArrayDeque<>();
    int before = flushed;
    for (int i = 0; i < before; i++) {
      kept.add(ReferenceCountUtil.retain(waiting.current()));
      promises.add(waiting.remove());
    }
    waiting.removeAndFailAll(new ClosedChannelException());
    while (!kept.isEmpty()) {
      waiting.add(kept.poll(), promises.poll());
    }
    // Listeners of the failed messages may have flushed.
    flushed = before;
  }

  /** Takes the waiting messages in order, with their promises. @return whether any was flushed */
  boolean release(BiConsumer<Object, ChannelPromise> taker) {
    boolean any = flushed > 0;
    while (!waiting.isEmpty()) {
      Object message = ReferenceCountUtil.retain(waiting.current());
      if (position > 0 && message instanceof ByteBuf bytes) {
        bytes.skipBytes(position);
      }
      position = 0;
      taker.accept(message, waiting.remove());
      any |= flushed > 0;
    }
    flushed = 0;
    return any;
  }

  /** Fails all messages. Later ones fail with ClosedChannelException. */
  void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
    retire();
  }

  private void submit() {
    if (submitting || held) {
      return;
    }
    submitting = true;
    try {
      while (flushed > 0 && inFlight < stream.window() && failure == null) {
        submitNext();
      }
      finishGathered();
    } catch (IOException | RuntimeException e) {
      failure = failure == null ? e : failure;
      unreadable = e;
    } finally {
      submitting = false;
    }
    retire();
  }

  private void submitNext() throws IOException {
    Object message = waiting.current();
    if (message instanceof FileRegion region) {
      finishGathered();
      submitPart(region);
    } else if (!gather((ByteBuf) message)) {
      finishGathered();
      submitPart((ByteBuf) message);
    }
  }

  private boolean gather(ByteBuf message) {
    int size = message.readableBytes();
    if (gathering != null && size > gatherRoom) {
      finishGathered();
    }
    if (gathering == null) {
      int most = stream.maxWrite();
      if (size == 0 || size >= Math.min(SMALL, most) || position > 0 || flushed == 1) {
        return false;
      }
      // A message size estimator of the application may report too few bytes.
      gatherRoom = (int) Math.max(size, Math.min(Math.min(GATHERED, most), waiting.bytes()));
      gathered = stream.begin(gatherRoom) ? null : context.alloc().directBuffer(gatherRoom);
      gathering = piece();
    }
    if (gathered != null) {
      gathered.writeBytes(message, message.readerIndex(), size);
    } else {
      stream.append(message);
    }
    gatherRoom -= size;
    written += size;
    taken(gathering, size + OVERHEAD);
    return true;
  }

  private void finishGathered() {
    Piece piece = gathering;
    if (piece != null) {
      ByteBuf bytes = gathered;
      gathered = null;
      gathering = null;
      hand(piece, bytes);
    }
  }

  private void submitPart(ByteBuf bytes) {
    int left = bytes.readableBytes() - position;
    int length = Math.min(left, stream.maxWrite());
    ByteBuf part = position == 0 && length == left ? bytes.retain() : bytes.retainedSlice(bytes.readerIndex() + position, length);
    submit(part, length, length == left);
  }

  private void submitPart(FileRegion region) throws IOException {
    ByteBuf part = FilePieces.read(region, context.alloc(), stream.maxWrite());
    submit(part, part.readableBytes(), region.transferred() >= region.count());
  }

  private void submit(ByteBuf part, int length, boolean complete) {
    Piece piece = piece();
    piece.cost += length;
    inFlight += length;
    written += length;
    position = complete ? 0 : position + length;
    if (complete) {
      taken(piece, OVERHEAD);
    }
    if (length == 0) {
      part.release();
      add(piece);
      inFlight -= piece.cost;
      piece.reported = true;
    } else {
      hand(piece, part);
    }
  }

  /** Moves the first waiting message, which is written or copied, to those that are unconfirmed. */
  private void taken(Piece by, int cost) {
    by.cost += cost;
    by.messages++;
    inFlight += cost;
    flushed--;
    unconfirmed.add(waiting.remove());
  }

  private Piece piece() {
    Piece piece = free == null ? new Piece() : free;
    free = piece.next;
    piece.next = null;
    piece.cost = 0;
    piece.messages = 0;
    piece.reported = false;
    piece.failed = false;
    return piece;
  }

  private void add(Piece piece) {
    begun++;
    if (first == null) {
      first = piece;
    } else {
      last.next = piece;
    }
    last = piece;
  }

  private void hand(Piece piece, ByteBuf bytes) {
    add(piece);
    if (bytes == null) {
      stream.finish(piece);
    } else {
      stream.write(bytes, piece);
    }
  }

  /** Completes the promises of reported messages, whose listeners may write, flush and close. */
  private void retire() {
    if (retiring) {
      return;
    }
    retiring = true;
    long before = completed;
    try {
      while (first != null && first.isReported()) {
        Piece piece = first;
        first = piece.next;
        completed++;
        int messages = piece.messages;
        lost |= piece.failed;
        piece.next = free;
        free = piece;
        for (int i = 0; i < messages; i++) {
          if (lost) {
            fail(unconfirmed.poll(), failure);
          } else {
            succeed(unconfirmed.poll());
          }
        }
      }
      if (failure != null && first == null && !submitting) {
        flushed = 0;
        position = 0;
        waiting.removeAndFailAll(failure instanceof ClosedChannelException ? failure : new ClosedChannelException());
      }
    } finally {
      retiring = false;
    }
    if (completed > before || isDone() || isHeld()) {
      changed.run();
    }
  }

  private static void succeed(ChannelPromise promise) {
    PromiseNotificationUtil.trySuccess(promise, null, null);
  }

  private static void fail(ChannelPromise promise, Throwable cause) {
    PromiseNotificationUtil.tryFailure(promise, cause, null);
  }
}
