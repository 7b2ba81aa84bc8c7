package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.vertx.core.Completable;
import java.io.IOException;
import java.util.ArrayDeque;

/**
 * Writes the messages of a channel to its stream. A message stays in the channel's outbound buffer until the stream has confirmed its last
 * byte. Only then its promise completes, and nothing refers to the caller's buffer any more. The unconfirmed bytes are bounded. Confined to
 * the channel's event loop.
 *
 * <p>The front of the outbound buffer therefore holds messages that were submitted. A flush walks over these to the new ones. Messages are
 * never removed during that walk, also when the stream confirms a piece before its write returns.
 */
final class ChannelOutput {
  /** Unconfirmed bytes, by {@link Piece#cost}, at which no more are submitted, if the stream has no window of its own. */
  static final int SEND_BUFFER = 256 << 10;
  /** Bytes that a message costs in addition to its own. Bounds the number of submitted messages, over which each flush has to walk. */
  private static final int OVERHEAD = 256;
  /** Bytes below which a message is copied into one piece with the messages behind it. */
  private static final int SMALL = 4 << 10;
  /** Bytes of such a piece: with its header it fits one receive of the default size. */
  private static final int GATHERED = 15 << 10;

  private final RdmaChannel channel;
  private final ChannelOutboundBuffer.MessageProcessor processor = this::submitNext;
  private ChannelOutboundBuffer in;
  /** Pieces that were submitted, in order. A piece leaves the queue when it and all pieces before it are confirmed. */
  private Piece first;
  private Piece last;
  /** Pieces for which the stream has not called back, and what they cost. */
  private int unreported;
  private int inFlight;
  /** Messages at the front of the outbound buffer of which all bytes were submitted. */
  private int submitted;
  /** Bytes that were submitted of the message behind these. */
  private long position;
  /** Failure of the stream to write a piece, or null. Afterwards all unconfirmed messages fail when the channel is closed. */
  private Throwable broken;
  /** Failure to read a message. It is thrown when all pieces before that message are confirmed. */
  private Throwable failure;
  private boolean retiring;
  /** The channel is being closed, or its output is: only messages that were flushed before are submitted. */
  private boolean finishing;
  /** Flushed messages in the outbound buffer at the time when that began and that are not removed yet. */
  private int toFinish;
  /** Tasks for the time when all of these are submitted, or cannot be. */
  private final ArrayDeque<Runnable> whenSubmitted = new ArrayDeque<>(0);
  /** Tasks for the time when all of these are submitted, or cannot be, and no piece is unconfirmed. */
  private final ArrayDeque<Runnable> whenDone = new ArrayDeque<>(0);

  // State of one walk.
  private boolean walking;
  private int toSkip;
  private int remaining;
  private int budget;
  private int maxWrite;
  /** Bytes that small messages are gathered in where the stream does not take them as they are; null otherwise. */
  private ByteBuf gathered;
  private boolean gathering;
  private int gatheredMessages;
  private int gatheredBytes;
  /** Bytes that may still be gathered. */
  private int gatherRoom;

  ChannelOutput(RdmaChannel channel) {
    this.channel = channel;
  }

  /** Bytes that were handed to the stream in one write, and the messages that end with them. */
  private final class Piece implements Completable<Void> {
    /** Bytes that it takes of the send buffer. */
    final int cost;
    /** Messages that are complete when this piece is confirmed. */
    final int messages;
    /** Bytes of progress of a message that may have several pieces. */
    final int progress;
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

  // ---- the channel's calls

  /** Submits the flushed messages for which the send buffer has room. The others are submitted when the stream has confirmed pieces. */
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

  /** Returns whether the stream has called back for all pieces. */
  private boolean isIdle() {
    return unreported == 0 && !walking && !retiring;
  }

  /** Returns whether all flushed messages are submitted, or cannot be. */
  private boolean isSubmitted() {
    return !walking && !retiring && (broken != null || failure != null || flushed() <= submitted);
  }

  /** Returns whether nothing of the flushed messages is left to be done: they are confirmed, or cannot be. */
  boolean isDone() {
    return isIdle() && isSubmitted();
  }

  /** Returns the number of flushed messages to submit that are in the outbound buffer. */
  private int flushed() {
    return finishing ? toFinish : in == null ? 0 : in.size();
  }

  /** Returns the first failure of the stream to write a piece, or null. */
  Throwable broken() {
    return broken;
  }

  /** Returns the bytes of the flushed messages that the stream has not confirmed. */
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

  /** Returns the number of flushed messages that the stream has not confirmed. */
  int unconfirmedMessages() {
    return in.size();
  }

  /**
   * Submits the messages that are flushed, as the stream confirms those before them, and none that is flushed later. This goes on when the
   * channel is closed.
   *
   * @param then runs when the last of them is submitted, or when the stream has failed
   */
  void finish(Runnable then) {
    if (!finishing) {
      toFinish = flushed();
      finishing = true;
    }
    whenSubmitted.add(then);
    runTasks();
  }

  /** Runs a task after those of {@link #finish}, when the stream has called back for all pieces, and all promises of confirmed messages. */
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

  // ---- submitting

  private boolean canSubmit() {
    return inFlight < channel.stream().window() && broken == null && failure == null && flushed() > submitted;
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

  /** Submits one message. @return false if the walk ends with it */
  private boolean submitNext(Object message) throws IOException {
    // Netty has put the empty buffer in the place of a cancelled message, which it does not show here. So these are not counted.
    if (message == Unpooled.EMPTY_BUFFER) {
      return true;
    }
    if (toSkip > 0) {
      toSkip--;
      return true;
    }
    if (message instanceof FileRegion region) {
      submitGathered();
      submit(region);
    } else if (!gather((ByteBuf) message)) {
      submit((ByteBuf) message);
    }
    remaining--;
    return budget > 0 && remaining > 0 && broken == null;
  }

  /** Copies a message behind the small ones before it, or begins a copy if it is small. */
  private boolean gather(ByteBuf message) {
    int size = message.readableBytes();
    if (gathering && size > gatherRoom) {
      submitGathered();
    }
    if (!gathering) {
      if (size == 0 || size >= Math.min(SMALL, maxWrite) || position > 0 || remaining <= 1) {
        return false;
      }
      // An estimator of the application may count fewer bytes than there are.
      gatherRoom = (int) Math.max(size, Math.min(Math.min(GATHERED, maxWrite), in.totalPendingWriteBytes()));
      gathering = true;
      if (!channel.stream().begin(gatherRoom)) {
        gathered = channel.alloc().directBuffer(gatherRoom);
      }
    }
    if (gathered != null) {
      gathered.writeBytes(message, message.readerIndex(), size);
    } else {
      channel.stream().append(message);
    }
    gatheredMessages++;
    gatheredBytes += size;
    gatherRoom -= size;
    budget -= size + OVERHEAD;
    return true;
  }

  private void submitGathered() {
    if (gathering) {
      ByteBuf bytes = gathered;
      int messages = gatheredMessages;
      int size = gatheredBytes;
      gathering = false;
      gathered = null;
      gatheredMessages = 0;
      gatheredBytes = 0;
      submitted += messages;
      if (bytes != null) {
        submit(bytes, messages, 0);
      } else {
        hand(add(size, messages, 0), null);
      }
    }
  }

  private void submit(ByteBuf message) {
    int size = message.readableBytes();
    do {
      int offset = (int) position;
      int length = Math.min(size - offset, maxWrite);
      boolean complete = offset + length == size;
      ByteBuf part = message.retainedSlice(message.readerIndex() + offset, length);
      handedOver(length, complete);
      submit(part, complete ? 1 : 0, length);
    } while (position > 0 && budget > 0 && broken == null);
  }

  private void submit(FileRegion region) throws IOException {
    do {
      ByteBuf part = FileRegionReader.read(region, channel.alloc(), maxWrite);
      int length = part.readableBytes();
      boolean complete = region.transferred() >= region.count();
      handedOver(length, complete);
      submit(part, complete ? 1 : 0, length);
    } while (position > 0 && budget > 0 && broken == null);
  }

  private void handedOver(int length, boolean complete) {
    budget -= length + OVERHEAD;
    if (complete) {
      position = 0;
      submitted++;
    } else {
      position += length;
    }
  }

  private void submit(ByteBuf bytes, int messages, int progress) {
    Piece piece = add(bytes.readableBytes(), messages, progress);
    if (!bytes.isReadable()) {
      bytes.release();
      piece.confirmed = true;
      return;
    }
    hand(piece, bytes);
  }

  private Piece add(int bytes, int messages, int progress) {
    Piece piece = new Piece(bytes + OVERHEAD * Math.max(1, messages), messages, progress);
    if (first == null) {
      first = piece;
    } else {
      last.next = piece;
    }
    last = piece;
    return piece;
  }

  /** Hands a piece to the stream. @param bytes null for those that the stream has copied */
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

  // ---- confirmed

  private void sent(Piece piece, Throwable cause) {
    inFlight -= piece.cost;
    unreported--;
    piece.confirmed = cause == null;
    broken = broken == null ? cause : broken;
    resume();
  }

  /** Completes confirmed messages and submits those for which the stream has room now. */
  void resume() {
    if (walking || retiring || in == null) {
      // The walk or the loop that is active takes it from here.
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

  /** Continues while the channel is being closed, when Netty does not flush any more. */
  private void writeClosed() {
    try {
      write(in);
    } catch (Throwable t) {
      // A message that cannot be read, and those behind it, fail when the channel is closed.
    }
  }

  /**
   * Completes the messages at the front whose pieces are confirmed. A promise's listener may write, flush and close: the state is that
   * behind its message.
   *
   * @return whether a promise was completed or notified
   */
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

  /** Completes messages at the front that have no bytes to submit, and removes cancelled ones. */
  private boolean removeEmpty() {
    boolean any = false;
    while (in.current() == Unpooled.EMPTY_BUFFER) {
      remove();
      any = true;
    }
    return any;
  }

  private void remove() {
    // The promise's listener may ask what is left.
    toFinish--;
    in.remove();
  }
}
