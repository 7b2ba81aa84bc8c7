package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.software.PostedOperation;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads the frames of a connection: short ones into the queue's buffer, long payloads directly into their region. The reader stalls while a
 * message has no receive, an answer no room in its queue, or a remote write no room for its completion. Then the peer can soon send no
 * more.
 */
final class NioFrameReader {
  private static final int DIRECT = 16 * 1024;
  /** Minimum bytes of a payload after which the next one is expected to be long too. */
  private static final int BULK = 64 * 1024;
  /** Bytes to read after a long payload: enough for headers, but little of a payload, which would have to be copied. */
  private static final int BESIDE_BULK = 4 * 1024;
  private static final long BUDGET = 4L << 20;

  private final NioEndpoint endpoint;
  private final NioCompletionQueue queue;
  private ByteBuffer header;
  /** Frames that were read while the reader stalls, or null. */
  private SocketBuffer stash;

  private byte type;
  private int flags;
  private int immediate;
  private long sequence;
  private long key;
  private int slot;
  private long offset;
  private long length;
  private long operand;

  /** True if the frame of a read header must wait. */
  private boolean pending;
  private boolean inPayload;
  private boolean bulk;
  private SoftwareRegion sink;
  private long sinkOffset;
  private long missing;
  private byte[] privateData;
  private long receiveId;
  private boolean receiving;

  NioFrameReader(NioEndpoint endpoint, NioCompletionQueue queue) {
    this.endpoint = endpoint;
    this.queue = queue;
  }

  /** Returns whether frames that were read wait. The socket does not report them. */
  boolean stalled() {
    return pending || stash != null;
  }

  /** Returns whether the stash contains a DISCONNECT, or is full, so that one may be unread in the socket. */
  boolean mayHaveGoodbye() {
    return stash != null && (!stash.bytes.hasRemaining() || hasGoodbye());
  }

  private boolean hasGoodbye() {
    return NioFrame.hasGoodbye(stash.bytes, NioFrame.hasPayload(type) ? length : 0);
  }

  /** @param last true to read all input because the output failed */
  void read(boolean last) {
    try {
      if (!consumeStash()) {
        fillStash();
        return;
      }
      for (long budget = last ? Long.MAX_VALUE : BUDGET; budget > 0 && endpoint.reading();) {
        int n = missing >= DIRECT && sink != null ? readDirect() : readStaged();
        if (n < 0) {
          endpoint.inputEnded();
          return;
        }
        if (n == 0 || stalled()) {
          return;
        }
        budget -= n;
      }
    } catch (IOException | IllegalStateException | WrongThreadException e) {
      endpoint.inputFailed(e);
    }
  }

  /** Handles waiting frames. @return false if the reader still stalls */
  private boolean consumeStash() {
    if (pending && !begin()) {
      return false;
    }
    if (stash != null) {
      stash.bytes.flip();
      consume(stash);
      if (stash == null) {
        // The connection ended.
        return false;
      }
      if (stash.bytes.hasRemaining()) {
        stash.bytes.compact();
        return false;
      }
      queue.stashes.giveBack(stash);
      stash = null;
    }
    return !pending;
  }

  /** Reads into the stash while it has room, to detect the end of the connection. */
  private void fillStash() throws IOException {
    if (!endpoint.reading()) {
      return;
    }
    if (stash == null) {
      stash = queue.stashes.take();
    }
    if (!stash.bytes.hasRemaining()) {
      endpoint.pauseReading();
    } else if (endpoint.socket.read(stash) < 0) {
      if (hasGoodbye()) {
        // Messages before a DISCONNECT are still delivered. Without one the end is reported immediately.
        endpoint.pauseReading();
      } else {
        endpoint.inputEnded();
      }
    }
  }

  /** Reads payload into its region, and following headers with the same call. */
  private int readDirect() throws IOException {
    if (!sink.acquire()) {
      endpoint.memoryGone(null);
      return 0;
    }
    SocketBuffer behind = staging(BESIDE_BULK);
    int n;
    try {
      n = endpoint.socket.read(sink, sinkOffset, missing, behind);
      long moved = Math.clamp(n, 0, missing);
      sinkOffset += moved;
      missing -= moved;
    } finally {
      sink.release();
    }
    if (missing > 0) {
      // A short read emptied the socket.
      return Math.min(n, 0);
    }
    finish();
    return carryOut(behind, n);
  }

  private int readStaged() throws IOException {
    SocketBuffer staging = staging(bulk ? BESIDE_BULK : Integer.MAX_VALUE);
    bulk = false;
    int n = endpoint.socket.read(staging);
    return n <= 0 ? n : carryOut(staging, n);
  }

  private SocketBuffer staging(int most) {
    SocketBuffer staging = queue.staging().clear();
    staging.bytes.limit(Math.min(most, staging.bytes.capacity()));
    return staging;
  }

  /** Handles n read bytes. @return n; 0 to stop reading */
  private int carryOut(SocketBuffer staging, int n) {
    boolean full = !staging.bytes.hasRemaining();
    staging.bytes.flip();
    consume(staging);
    if (staging.bytes.hasRemaining() && endpoint.reading()) {
      stash = queue.stashes.take();
      stash.bytes.put(staging.bytes);
      return 0;
    }
    // A short read emptied the socket.
    return full ? n : 0;
  }

  private void consume(SocketBuffer from) {
    ByteBuffer in = from.bytes;
    while (in.hasRemaining() && endpoint.reading() && !pending) {
      if (inPayload) {
        consumePayload(from);
      } else if (in.remaining() >= NioFrame.HEADER && header == null) {
        parse(in);
        begin();
      } else {
        if (header == null) {
          header = ByteBuffer.allocate(NioFrame.HEADER);
        }
        int n = Math.min(in.remaining(), header.remaining());
        header.put(in.slice(in.position(), n));
        in.position(in.position() + n);
        if (!header.hasRemaining()) {
          parse(header.flip());
          header = null;
          begin();
        }
      }
    }
  }

  private void parse(ByteBuffer in) {
    type = in.get();
    flags = in.get();
    in.getShort();
    immediate = in.getInt();
    sequence = in.getLong();
    key = in.getLong();
    slot = in.getInt();
    in.getInt();
    offset = in.getLong();
    length = in.getLong();
    operand = in.getLong();
    pending = true;
  }

  private void consumePayload(SocketBuffer from) {
    ByteBuffer in = from.bytes;
    int n = (int) Math.min(in.remaining(), missing);
    if (privateData != null) {
      in.get(privateData, privateData.length - (int) missing, n);
    } else {
      if (!sink.put(from.memory, in.position(), sinkOffset, n)) {
        endpoint.memoryGone(null);
        return;
      }
      in.position(in.position() + n);
      sinkOffset += n;
    }
    missing -= n;
    if (missing == 0) {
      finish();
    }
  }

  /** Begins the frame of a complete header. @return false if the frame must wait */
  private boolean begin() {
    if (!endpoint.reading()) {
      return true;
    }
    if (length < 0 && NioFrame.hasPayload(type)) {
      return broken("a frame of invalid length " + length);
    }
    if (endpoint.handshaking() != (type == NioFrame.ACCEPT || type == NioFrame.REJECT)) {
      return broken("a frame of type " + type + " out of order");
    }
    switch (type) {
      case NioFrame.ACCEPT, NioFrame.REJECT -> {
        if (key != NioFrame.MAGIC || length > NioDevice.PRIVATE_DATA) {
          return broken("a reply of another protocol");
        }
        VersionRange versions = VersionRange.of(slot);
        if (type == NioFrame.REJECT ? immediate == NioFrame.OTHER_VERSIONS : NioFrame.VERSIONS.common(versions) == 0) {
          endpoint.otherVersions(versions);
          return true;
        }
        privateData = new byte[(int) length];
        payload(null, 0);
      }
      case NioFrame.SEND, NioFrame.SEND_IMMEDIATE -> {
        return beginReceive();
      }
      case NioFrame.WRITE, NioFrame.WRITE_IMMEDIATE -> {
        if (type == NioFrame.WRITE_IMMEDIATE && !queue.roomForRemoteWrite(endpoint)) {
          return false;
        }
        SoftwareRegion region = endpoint.target(slot, key, Access.REMOTE_WRITE, offset, length, sequence);
        if (region != null) {
          payload(region, offset);
        }
      }
      case NioFrame.READ -> {
        if (endpoint.responses.isFull()) {
          return false;
        }
        endpoint.responses.read(NioFrame.READ_RESPONSE, slot, key, offset, length, sequence);
      }
      case NioFrame.FETCH_ADD, NioFrame.COMPARE_SWAP -> {
        if (endpoint.responses.isFull()) {
          return false;
        }
        endpoint.responses.atomic(NioFrame.ATOMIC_RESPONSE, type == NioFrame.FETCH_ADD, slot, key, offset, length, operand, sequence);
      }
      case NioFrame.READ_RESPONSE -> {
        PostedOperation read = endpoint.sends.awaitingRead(sequence, offset, length);
        if (read == null) {
          return broken("a reply to a read that was not requested");
        }
        payload((SoftwareRegion) read.request().region(), read.request().offset() + offset);
      }
      case NioFrame.ATOMIC_RESPONSE -> {
        if (!endpoint.sends.returned(sequence, length)) {
          return broken("a reply to an atomic that was not requested");
        }
      }
      case NioFrame.ACK -> {
        if (!endpoint.acknowledged(sequence)) {
          return broken("an acknowledgement of operations that were not sent");
        }
      }
      case NioFrame.NAK -> endpoint.refused(sequence, immediate == Status.LENGTH ? Status.LENGTH : Status.REMOTE_ACCESS);
      case NioFrame.DISCONNECT -> endpoint.peerDisconnected();
      default -> {
        return broken("a frame of unknown type " + type);
      }
    }
    pending = false;
    return true;
  }

  private boolean broken(String what) {
    endpoint.violated(what);
    return true;
  }

  private void payload(SoftwareRegion region, long start) {
    sink = region;
    sinkOffset = start;
    missing = length;
    bulk |= length >= BULK;
    inPayload = true;
    if (missing == 0) {
      finish();
    }
  }

  private boolean beginReceive() {
    if (endpoint.receiveQueue().isEmpty()) {
      endpoint.receiveQueue().await(endpoint);
      return false;
    }
    receiveId = endpoint.receiveQueue().requestId();
    SoftwareRegion region = endpoint.receiveQueue().region();
    long start = endpoint.receiveQueue().offset();
    int room = endpoint.receiveQueue().length();
    endpoint.receiveQueue().take(endpoint);
    pending = false;
    if (length > room) {
      endpoint.receiveTooShort(receiveId, room, length, sequence);
    } else {
      receiving = true;
      payload(region, start);
    }
    return true;
  }

  private void finish() {
    inPayload = false;
    sink = null;
    switch (type) {
      case NioFrame.SEND, NioFrame.SEND_IMMEDIATE -> {
        receiving = false;
        endpoint.received(receiveId, length, type == NioFrame.SEND_IMMEDIATE, immediate);
      }
      case NioFrame.WRITE, NioFrame.WRITE_IMMEDIATE -> {
        if ((flags & NioFrame.LAST) != 0) {
          endpoint.acknowledge(sequence);
        }
        if (type == NioFrame.WRITE_IMMEDIATE) {
          endpoint.remoteWritten(length, immediate);
        }
      }
      case NioFrame.READ_RESPONSE -> endpoint.sends.arrived(endpoint.sends.get(sequence), length);
      default -> {
        byte[] data = privateData;
        privateData = null;
        endpoint.answer(type == NioFrame.ACCEPT, (int) offset, data);
      }
    }
  }

  void abandon() {
    if (receiving) {
      receiving = false;
      endpoint.receiveFlushed(receiveId);
    }
    sink = null;
    pending = false;
    inPayload = false;
    if (stash != null) {
      queue.stashes.giveBack(stash);
      stash = null;
    }
  }
}
