package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.AnswerQueue;
import io.github.vertxrdma.provider.software.PostedOperation;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import io.github.vertxrdma.provider.software.SoftwareRemoteMemory;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Output of a connection. Headers and short payloads are copied to one small buffer; long payloads are written from their region.
 * Acknowledgements come first; answers alternate with the endpoint's own operations.
 */
final class Transmitter {
  static final int BUFFER = 16 * 1024;
  private static final int COPY = 4 * 1024;
  private static final int CHUNK = 256 * 1024;
  /** Maximum bytes of one {@link #pump}, so that other connections are served. */
  private static final long BUDGET = 4L << 20;

  private final NioEndpoint endpoint;
  private final TcpSocket socket;
  private final NioCompletionQueue queue;
  /** Null while there is no output: endpoints of a completion queue share buffers. */
  private SocketBuffer output;
  private boolean blocked;
  private boolean failed;

  /** Numbers of bytes of the output stream: put into frames, and accepted by the socket. */
  private long framed;
  private long written;

  private SoftwareRegion region;
  private long offset;
  private long remaining;
  private WorkRequest list;
  private int listNext;
  private int listCount;

  private long writeProgress;
  private boolean responsesTurn;
  private long acknowledge = -1;
  private long acknowledged = -1;
  private Refusal refusal;
  private boolean disconnect;
  private boolean ended;

  private record Refusal(long sequence, int status) {
  }

  Transmitter(NioEndpoint endpoint, NioCompletionQueue queue, TcpSocket socket) {
    this.endpoint = endpoint;
    this.socket = socket;
    this.queue = queue;
  }

  private void begin() {
    if (output == null) {
      output = queue.outputs.take();
    }
  }

  void releaseBuffer() {
    if (output != null) {
      queue.outputs.giveBack(output);
      output = null;
    }
  }

  void handshake(byte type, long key, VersionRange versions, int readsInFlight, byte[] privateData) {
    begin();
    ByteBuffer out = output.bytes;
    NioFrame.put(out, type, 0, 0, 0, key, versions.word(), readsInFlight, privateData.length, 0);
    out.put(privateData);
    framed += NioFrame.HEADER + privateData.length;
  }

  /** Acknowledges all writes up to this one with the next output. */
  void acknowledge(long sequence) {
    acknowledge = sequence;
  }

  /** Refuses an operation of the peer with the last frame, after waiting answers. */
  void refuse(long sequence, int status) {
    refusal = new Refusal(sequence, status);
  }

  /** Sends a DISCONNECT after the posted operations. */
  void disconnect() {
    disconnect = true;
  }

  boolean idle() {
    return (output == null || output.bytes.position() == 0) && remaining == 0;
  }

  /** Returns whether the buffer ends with a complete frame. */
  boolean atBoundary() {
    return remaining == 0 && listNext == listCount && !failed;
  }

  long written() {
    return written;
  }

  /** Tries to send the buffer and a DISCONNECT when the endpoint closes. @return whether the socket has accepted everything */
  boolean trySendDisconnect() {
    begin();
    ByteBuffer out = output.bytes;
    if (!atBoundary() || blocked || out.remaining() < NioFrame.HEADER) {
      return false;
    }
    NioFrame.put(out, NioFrame.DISCONNECT, 0, 0, 0, 0, 0, 0, 0, 0);
    ended = true;
    try {
      write();
    } catch (IOException e) {
      return false;
    }
    return idle();
  }

  void unblocked() {
    blocked = false;
  }

  /** Sends waiting output while the socket accepts it, and completes operations. */
  void pump() {
    begin();
    long start = written;
    try {
      while (!blocked && !failed) {
        fill();
        if (idle()) {
          break;
        }
        if (!write() || written - start > BUDGET) {
          blocked = true;
          socket.interest(SocketHandler.WRITE, 0);
        }
      }
    } catch (IOException | IllegalStateException | WrongThreadException | ProviderException e) {
      failed = true;
      endpoint.outputFailed(e);
      return;
    }
    if (idle()) {
      releaseBuffer();
    }
    endpoint.sends.endSends(written);
    endpoint.sends.complete();
    if (ended && idle()) {
      endpoint.outputEnded();
    }
  }

  /** @return false if the socket did not accept all output */
  private boolean write() throws IOException {
    ByteBuffer out = output.bytes;
    int small = out.position();
    long wanted = small + remaining;
    out.flip();
    long n = remaining > 0 ? writeBoth() : socket.write(output);
    out.compact();
    if (remaining > 0) {
      long moved = Math.max(0, n - small);
      offset += moved;
      remaining -= moved;
      if (remaining == 0) {
        nextElement();
      }
    }
    written += n;
    return n == wanted;
  }

  private long writeBoth() throws IOException {
    if (!region.acquire()) {
      throw new IllegalStateException("the memory region was closed during a transfer");
    }
    try {
      return socket.write(output, region, offset, remaining);
    } finally {
      region.release();
    }
  }

  private void fill() {
    while (remaining == 0 && output.bytes.remaining() >= NioFrame.HEADER + COPY && !ended) {
      if (acknowledge > acknowledged) {
        acknowledged = acknowledge;
        header(NioFrame.ACK, 0, 0, acknowledged, 0, 0, 0, 0, 0, 0);
      } else if (refusal != null && endpoint.responses.isEmpty()) {
        header(NioFrame.NAK, 0, refusal.status, refusal.sequence, 0, 0, 0, 0, 0, 0);
        ended = true;
      } else if (!endpoint.responses.isEmpty() && (responsesTurn || !endpoint.sends.hasNext() || refusal != null)) {
        responsesTurn = false;
        respond();
      } else {
        boolean sent = sendNext();
        if (endpoint.responses.isEmpty()) {
          if (!sent && disconnect && !endpoint.sends.hasNext()) {
            header(NioFrame.DISCONNECT, 0, 0, 0, 0, 0, 0, 0, 0, 0);
            ended = true;
          }
          if (!sent) {
            return;
          }
        } else {
          responsesTurn = true;
        }
      }
    }
  }

  private void respond() {
    AnswerQueue.Answer response = endpoint.responses.first();
    long sequence = response.sequence();
    if (response.type() == NioFrame.ATOMIC_RESPONSE) {
      header(NioFrame.ATOMIC_RESPONSE, 0, 0, sequence, 0, 0, 0, response.value(), 0, 0);
      endpoint.responses.remove();
      endpoint.answered();
      return;
    }
    long chunk = Math.min(CHUNK, response.value() - response.sent());
    if (!response.region().isOpen()) {
      endpoint.responses.remove();
      endpoint.refuse(sequence, Status.REMOTE_ACCESS, "the region was closed during a read");
      return;
    }
    header(NioFrame.READ_RESPONSE, 0, 0, sequence, 0, 0, response.sent(), chunk, 0, chunk);
    payload(response.region(), response.offset(), chunk);
    if (response.advance(chunk)) {
      endpoint.responses.remove();
      endpoint.answered();
    }
  }

  /** @return false if there is no operation, or it must wait */
  private boolean sendNext() {
    if (!endpoint.sends.hasNext() || endpoint.sends.nextMustWait()) {
      return false;
    }
    long sequence = endpoint.sends.next();
    PostedOperation posted = endpoint.sends.get(sequence);
    WorkRequest request = posted.request();
    switch (request.operation()) {
      case SEND, SEND_IMMEDIATE -> {
        header(request.operation() == Operation.SEND ? NioFrame.SEND : NioFrame.SEND_IMMEDIATE, 0, (int) request.immediate(), sequence, 0,
          0, 0,
          request.length(), 0, request.length());
        endpoint.sends.transmitted(framed);
        payloadOf(posted);
      }
      case WRITE, WRITE_IMMEDIATE -> sendWrite(sequence, posted);
      case READ -> {
        request(NioFrame.READ, sequence, request, request.length(), 0);
        endpoint.sends.transmitted(framed);
      }
      case FETCH_ADD -> {
        request(NioFrame.FETCH_ADD, sequence, request, request.operand(), 0);
        endpoint.sends.transmitted(framed);
      }
      default -> {
        request(NioFrame.COMPARE_SWAP, sequence, request, request.operand(), request.swap());
        endpoint.sends.transmitted(framed);
      }
    }
    return true;
  }

  private void sendWrite(long sequence, PostedOperation posted) {
    WorkRequest write = posted.request();
    long length = write.length();
    boolean whole = posted.isInline() || write.pieces() != 1 || length == 0;
    long chunk = whole ? length : Math.min(CHUNK, length - writeProgress);
    boolean last = writeProgress + chunk == length;
    byte type = last && write.operation() == Operation.WRITE_IMMEDIATE ? NioFrame.WRITE_IMMEDIATE : NioFrame.WRITE;
    SoftwareRemoteMemory remote = (SoftwareRemoteMemory) write.remote();
    header(type, last ? NioFrame.LAST : 0, (int) write.immediate(), sequence, remote.secret(), remote.slot(),
      remote.base() + write.remoteOffset() + writeProgress, chunk, 0, chunk);
    if (whole) {
      payloadOf(posted);
    } else {
      payload((SoftwareRegion) write.pieceRegion(0), write.pieceOffset(0) + writeProgress, chunk);
    }
    writeProgress = last ? 0 : writeProgress + chunk;
    if (last) {
      endpoint.sends.transmitted(framed);
    }
  }

  private void request(byte type, long sequence, WorkRequest request, long length, long operand) {
    SoftwareRemoteMemory remote = (SoftwareRemoteMemory) request.remote();
    header(type, 0, 0, sequence, remote.secret(), remote.slot(), remote.base() + request.remoteOffset(), length, operand, 0);
  }

  private void header(byte type, int flags, int immediate, long sequence, long key, int slot, long remoteOffset, long length, long operand,
    long payload) {
    NioFrame.put(output.bytes, type, flags, immediate, sequence, key, slot, remoteOffset, length, operand);
    framed += NioFrame.HEADER + payload;
  }

  private void payloadOf(PostedOperation posted) {
    WorkRequest request = posted.request();
    if (posted.isInline()) {
      ByteBuffer out = output.bytes;
      posted.copy(0, output.memory, out.position(), request.length());
      out.position(out.position() + (int) request.length());
      return;
    }
    list = request;
    listCount = request.pieces();
    listNext = 0;
    nextElement();
  }

  /** Copies short ranges of a list. A long range becomes the current payload. */
  private void nextElement() {
    while (remaining == 0 && listNext < listCount) {
      int element = listNext++;
      if (list.pieceLength(element) > 0) {
        payload((SoftwareRegion) list.pieceRegion(element), list.pieceOffset(element), list.pieceLength(element));
      }
    }
  }

  private void payload(SoftwareRegion from, long start, long length) {
    ByteBuffer out = output.bytes;
    if (length <= COPY && length <= out.remaining() && from.take(start, output.memory, out.position(), length)) {
      out.position(out.position() + (int) length);
    } else {
      region = from;
      offset = start;
      remaining = length;
    }
  }
}
