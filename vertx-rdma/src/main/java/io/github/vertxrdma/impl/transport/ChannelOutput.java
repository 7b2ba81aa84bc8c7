package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.vertx.core.Completable;
import java.io.IOException;
import java.util.ArrayDeque;

/**
 * Writes a channel's messages to its stream. A message stays in Netty's outbound buffer until its last byte is confirmed; a flush skips the
 * messages already submitted. Confined to the channel's event loop.
 */
final class ChannelOutput {
  static final int SEND_BUFFER = 256 << 10;
  private static final int OVERHEAD = 256;
  private static final int SMALL = 4 << 10;
  private static final int GATHERED = 15 << 10;

  private final RdmaChannel channel;
  private final ChannelOutboundBuffer.MessageProcessor processor = this::submitNext;
  private ChannelOutboundBuffer in;
  /** Linked list of the pieces whose messages are in the outbound buffer. */
  private Piece first;
  private Piece last;
  private int unreported;
  private int inFlight;
  private int submitted;
  private long position;
  private Throwable streamFailure;
  /** Failure to read a message. Thrown when all earlier pieces are confirmed. */
  private Throwable failure;
  private boolean retiring;
  private boolean finishing;
  private int toFinish;
  private final ArrayDeque<Runnable> whenSubmitted = new ArrayDeque<>(0);
  private final ArrayDeque<Runnable> whenDone = new ArrayDeque<>(0);

  private boolean walking;
  private int toSkip;
  private int remaining;
  private int budget;
  private int maxWrite;
  /** Piece that small messages are gathered in; otherwise null. */
  private Piece gathering;
  /** Bytes of the gathered messages, or null if the stream gathers them itself. */
  private ByteBuf gathered;
  private int gatherRoom;

  ChannelOutput(RdmaChannel channel) {
    this.channel = channel;
  }

  private final class Piece implements Completable<Void> {
    private int cost;
    private int messages;
    private final int progress;
    private boolean confirmed;
    private Piece next;

    Piece(int cost, int messages, int progress) {
      this.cost = cost;
      this.messages = messages;
      this.progress = progress;
    }

    boolean isConfirmed() {
      return confirmed;
    }

    @Override
    public void complete(Void result, Throwable cause) {
      sent(this, cause);
    }
  }

  void write(ChannelOutboundBuffer in) throws Exception {
    this.in = in;
    do {
      if (canSubmit()) {
        walk();
      }
    } while (retire() && canSubmit());
    runTasks();
    if (failure != null && isIdle()) {
      if (failure instanceof Error error) {
        throw error;
      }
      throw (Exception) failure;
    }
  }

  private boolean isIdle() {
    return unreported == 0 && !walking && !retiring;
  }

  private boolean isSubmitted() {
    return !walking && !retiring && (streamFailure != null || failure != null || flushed() <= submitted);
  }

  boolean isDone() {
    return isIdle() && isSubmitted();
  }

  private int flushed() {
    return finishing ? toFinish : in == null ? 0 : in.size();
  }

  Throwable streamFailure() {
    return streamFailure;
  }

  long unconfirmedBytes() {
    long[] bytes = {-in.currentProgress()};
    try {
      in.forEachFlushedMessage(message -> {
        bytes[0] += message instanceof FileRegion region ? region.count() : ((ByteBuf) message).readableBytes();
        return true;
      });
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return bytes[0];
  }

  int unconfirmedMessages() {
    return in.size();
  }

  /** Submits the flushed messages, even after a close, and then runs the task. */
  void finish(Runnable then) {
    if (!finishing) {
      toFinish = flushed();
      finishing = true;
    }
    whenSubmitted.add(then);
    runTasks();
  }

  void whenDone(Runnable task) {
    whenDone.add(task);
    runTasks();
  }

  private void runTasks() {
    while (isSubmitted() && !whenSubmitted.isEmpty()) {
      whenSubmitted.poll().run();
    }
    while (isDone() && whenSubmitted.isEmpty() && !whenDone.isEmpty()) {
      whenDone.poll().run();
    }
  }

  private boolean canSubmit() {
    return inFlight < channel.stream().window() && streamFailure == null && failure == null && flushed() > submitted;
  }

  private void walk() {
    toSkip = submitted;
    remaining = flushed() - submitted;
    budget = channel.stream().window() - inFlight;
    maxWrite = channel.stream().maxWrite();
    walking = true;
    try {
      try {
        in.forEachFlushedMessage(processor);
      } finally {
        submitGathered();
      }
    } catch (Throwable t) {
      failure = t;
    } finally {
      walking = false;
    }
  }

  private boolean submitNext(Object message) throws IOException {
    if (message == Unpooled.EMPTY_BUFFER) {
      return true;
    }
    if (toSkip > 0) {
      toSkip--;
      return true;
    }
    if (message instanceof FileRegion) {
      submitGathered();
      submitParts(message);
    } else if (!gather((ByteBuf) message)) {
      submitParts(message);
    }
    remaining--;
    return budget > 0 && remaining > 0 && streamFailure == null;
  }

  private boolean gather(ByteBuf message) {
    int size = message.readableBytes();
    if (gathering != null && size > gatherRoom) {
      submitGathered();
    }
    if (gathering == null) {
      if (size == 0 || size >= Math.min(SMALL, maxWrite) || position > 0 || remaining <= 1) {
        return false;
      }
      // A message size estimator of the application may report too few bytes.
      gatherRoom = (int) Math.max(size, Math.min(Math.min(GATHERED, maxWrite), in.totalPendingWriteBytes()));
      gathered = channel.stream().begin(gatherRoom) ? null : channel.alloc().directBuffer(gatherRoom);
      gathering = new Piece(0, 0, 0);
    }
    if (gathered != null) {
      gathered.writeBytes(message, message.readerIndex(), size);
    } else {
      channel.stream().append(message);
    }
    gathering.messages++;
    gathering.cost += size + OVERHEAD;
    gatherRoom -= size;
    budget -= size + OVERHEAD;
    return true;
  }

  private void submitGathered() {
    Piece piece = gathering;
    if (piece != null) {
      ByteBuf bytes = gathered;
      gathered = null;
      gathering = null;
      submitted += piece.messages;
      add(piece);
      hand(piece, bytes);
    }
  }

  private void submitParts(Object message) throws IOException {
    do {
      ByteBuf part;
      boolean complete;
      if (message instanceof FileRegion region) {
        part = FilePieces.read(region, channel.alloc(), maxWrite);
        complete = region.transferred() >= region.count();
      } else {
        ByteBuf bytes = (ByteBuf) message;
        int left = bytes.readableBytes() - (int) position;
        part = bytes.retainedSlice(bytes.readerIndex() + (int) position, Math.min(left, maxWrite));
        complete = left <= maxWrite;
      }
      int length = part.readableBytes();
      budget -= length + OVERHEAD;
      if (complete) {
        position = 0;
        submitted++;
      } else {
        position += length;
      }
      submit(part, complete ? 1 : 0, length);
    } while (position > 0 && budget > 0 && streamFailure == null);
  }

  private void submit(ByteBuf bytes, int messages, int progress) {
    Piece piece = new Piece(bytes.readableBytes() + OVERHEAD, messages, progress);
    add(piece);
    if (!bytes.isReadable()) {
      bytes.release();
      piece.confirmed = true;
      return;
    }
    hand(piece, bytes);
  }

  private void add(Piece piece) {
    if (first == null) {
      first = piece;
    } else {
      last.next = piece;
    }
    last = piece;
  }

  private void hand(Piece piece, ByteBuf bytes) {
    inFlight += piece.cost;
    unreported++;
    try {
      if (bytes == null) {
        channel.stream().finish(piece);
      } else {
        channel.stream().write(bytes, piece);
      }
    } catch (RuntimeException e) {
      sent(piece, e);
      throw e;
    }
  }

  private void sent(Piece piece, Throwable cause) {
    inFlight -= piece.cost;
    unreported--;
    piece.confirmed = cause == null;
    streamFailure = streamFailure == null ? cause : streamFailure;
    resume();
  }

  void resume() {
    if (walking || retiring || in == null) {
      return;
    }
    retire();
    if (canSubmit() || failure != null && isIdle()) {
      if (channel.isOpen()) {
        channel.flushAgain();
      } else {
        writeClosed();
      }
    }
    runTasks();
  }

  private void writeClosed() {
    try {
      write(in);
    } catch (Throwable t) {
      // The close fails the remaining messages.
    }
  }

  /** Removes confirmed messages and completes their promises, whose listeners may write, flush and close. */
  private boolean retire() {
    if (retiring) {
      return false;
    }
    retiring = true;
    try {
      boolean any = removeEmpty();
      while (first != null && first.isConfirmed()) {
        retireFirst();
        removeEmpty();
        any = true;
      }
      return any;
    } finally {
      retiring = false;
    }
  }

  private void retireFirst() {
    Piece piece = first;
    first = piece.next;
    if (piece.progress > 0) {
      in.progress(piece.progress);
    }
    for (int i = 0; i < piece.messages; i++) {
      removeEmpty();
      submitted--;
      remove();
    }
  }

  private boolean removeEmpty() {
    boolean any = false;
    while (in.current() == Unpooled.EMPTY_BUFFER) {
      remove();
      any = true;
    }
    return any;
  }

  private void remove() {
    // Decremented first: remove() completes the promise, whose listener may read it.
    toFinish--;
    in.remove();
  }
}
