package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.software.PostedReceives;
import java.io.IOException;
import java.net.InetSocketAddress;

/** The socket of an endpoint and its life: connecting, handshake, refusal, goodbye, end. */
final class Connection implements SocketHandler, PostedReceives.Waiter {
  /** The time that a goodbye or a refusal may take to leave. */
  private static final long GOODBYE_MILLIS = 1000;
  private static final byte[] NOTHING = {};

  final NioEndpoint endpoint;
  final PostedReceives receives;
  final SendQueue sends;
  final ResponseQueue responses = new ResponseQueue();
  private final NioCompletionQueue queue;
  private final EndpointOptions options;
  private final EndpointHandler handler;
  /** The queue's while a frame is under way in it; null between. */
  private FrameReader reader;
  private Transmitter transmitter;
  private EndpointState state = EndpointState.INIT;
  /** The socket is gone or on its way: nothing more happens. */
  private boolean over;
  private ProviderException failure;
  private ProviderException refusal;
  /** Why the socket takes nothing more; null while it does. */
  private Exception outputFailure;
  TcpSocket socket;
  private EndpointAddress localAddress;
  private EndpointAddress remoteAddress;
  private byte[] connectData;
  private Deadline deadline;
  private int readsInFlight = NioDevice.READS_IN_FLIGHT;
  private boolean runnable;

  Connection(NioEndpoint endpoint, NioCompletionQueue queue, PostedReceives receives, SendQueue sends, EndpointOptions options,
    EndpointHandler handler) {
    this.endpoint = endpoint;
    this.queue = queue;
    this.receives = receives;
    this.sends = sends;
    this.options = options;
    this.handler = handler;
  }

  EndpointState state() {
    return state;
  }

  ProviderException failure() {
    return failure;
  }

  EndpointAddress localAddress() {
    return localAddress;
  }

  EndpointAddress remoteAddress() {
    return remoteAddress;
  }

  int readsInFlight() {
    return readsInFlight;
  }

  // Connecting.

  void connect(EndpointAddress remote, byte[] privateData) {
    InetSocketAddress inet = NioDomain.inet(remote);
    if (state != EndpointState.INIT) {
      throw new IllegalStateException("nio: connect to " + remote + " on an endpoint that is " + state);
    }
    queue.domain().checkPrivateData(privateData);
    connectData = privateData.clone();
    remoteAddress = remote;
    state = EndpointState.CONNECTING;
    deadline = queue.deadline(options.connectTimeoutMillis(), () -> fail(new ProviderException(Reason.TIMEOUT, "nio: "
      + remoteAddress + " did not answer within " + options.connectTimeoutMillis() + " ms: is a process listening there, and is it "
      + "polling its completion queue?")));
    try {
      socket = queue.sockets().connect(inet, options.source() == null ? null : NioDomain.inet(options.source()));
      queue.sockets().watch(socket, socket.isConnected() ? READ : WRITE, this);
      if (socket.isConnected()) {
        greet();
      }
    } catch (IOException | RuntimeException e) {
      fail(Sockets.failure("connect to " + remoteAddress, e));
    }
  }

  private void greet() throws IOException {
    localAddress = EndpointAddress.of(socket.localAddress());
    begin();
    transmitter.handshake(Frame.CONNECT, Frame.MAGIC, Frame.VERSION, NioDevice.READS_IN_FLIGHT, connectData);
    connectData = null;
    pump();
  }

  private void begin() throws IOException {
    transmitter = new Transmitter(this, queue, socket);
  }

  /** Takes the socket of a connection request and accepts. */
  void accept(TcpSocket accepted, EndpointAddress local, EndpointAddress remote, int peerReadsInFlight, byte[] privateData) {
    socket = accepted;
    localAddress = local;
    remoteAddress = remote;
    state = EndpointState.CONNECTED;
    readsInFlight = Math.clamp(peerReadsInFlight, 1, NioDevice.READS_IN_FLIGHT);
    try {
      begin();
      queue.sockets().watch(socket, READ, this);
      transmitter.handshake(Frame.ACCEPT, Frame.MAGIC, Frame.VERSION, NioDevice.READS_IN_FLIGHT, privateData);
      queue.connected(endpoint, handler, NOTHING);
      pump();
    } catch (IOException | RuntimeException e) {
      fail(Sockets.failure("accept a connection of " + remoteAddress, e));
    }
  }

  /** The acceptor has answered. */
  void answer(boolean accepted, int peerReadsInFlight, byte[] privateData) {
    deadline.cancel();
    deadline = null;
    if (accepted) {
      state = EndpointState.CONNECTED;
      readsInFlight = Math.clamp(peerReadsInFlight, 1, NioDevice.READS_IN_FLIGHT);
      queue.connected(endpoint, handler, privateData);
    } else {
      fail(new ProviderException(Reason.REJECTED, 0, "nio: " + remoteAddress + " rejected the connection", privateData, null));
    }
  }

  // The socket.

  @Override
  public void ready(int operations) {
    if (over) {
      return;
    }
    if (transmitter == null) {
      try {
        socket.finishConnect();
        socket.interest(READ, WRITE);
        greet();
      } catch (IOException e) {
        fail(Sockets.failure("connect to " + remoteAddress, e));
      }
      return;
    }
    if ((operations & WRITE) != 0) {
      socket.interest(0, WRITE);
      transmitter.unblocked();
    }
    if ((operations & READ) != 0 && reading()) {
      read();
    }
    pump();
  }

  private void read() {
    FrameReader mine = reader == null ? queue.reader(this) : reader;
    // It may be asked whether it has stalled, and is let go of when the connection ends meanwhile.
    reader = mine;
    mine.read(outputFailure instanceof IOException);
    if (reader != null && mine.rests()) {
      reader = null;
      queue.giveBack(mine);
    }
    if (outputFailure != null && !over && !mayEndInOrder()) {
      inputFailed(outputFailure);
    }
  }

  /** Whether a goodbye may be behind messages that wait for receives, though the socket takes nothing more. */
  private boolean mayEndInOrder() {
    return outputFailure instanceof IOException && reader != null && reader.mayHaveGoodbye();
  }

  private boolean stalled() {
    return reader != null && reader.stalled();
  }

  /** Goes on after a stall, or sends what was held back. */
  void run() {
    runnable = false;
    if (over || transmitter == null) {
      return;
    }
    if (stalled() && reading()) {
      read();
      if (reading() && !stalled()) {
        resumeReading();
      }
    }
    pump();
  }

  private void resumeReading() {
    try {
      socket.interest(READ, 0);
    } catch (ProviderException e) {
      inputFailed(e);
    }
  }

  /** Notes that {@link #run} is to be called in the next poll. @return false if it was noted already */
  boolean markRunnable() {
    boolean first = !runnable;
    runnable = true;
    return first;
  }

  void pump() {
    if (!over && transmitter != null) {
      transmitter.pump();
    }
  }

  @Override
  public void receivePosted() {
    queue.run(this);
  }

  boolean reading() {
    return !over && refusal == null;
  }

  boolean handshaking() {
    return state == EndpointState.CONNECTING;
  }

  void pauseReading() {
    socket.interest(0, READ);
  }

  /** @throws ProviderException if the socket cannot be watched: while reading is paused it is not */
  void wantWrite() {
    socket.interest(WRITE, 0);
  }

  // Reports of the halves.

  /** A place among the answers is free. */
  void answered() {
    if (stalled()) {
      queue.run(this);
    }
  }

  void acknowledge(long sequence) {
    transmitter.acknowledge(sequence);
  }

  /** The peer has a write, and all before. @return false if that cannot be */
  boolean acknowledged(long sequence) {
    return sends.acknowledge(sequence, transmitter.written());
  }

  /** Refuses an operation of the peer, which ends the connection. */
  void refuse(long sequence, int status, String reason) {
    if (refusal == null) {
      refusal = new ProviderException(status == Status.REMOTE_ACCESS ? Reason.PERMISSION : Reason.INVALID, "nio: " + reason
        + " (connection with " + remoteAddress + ", which is over)");
      transmitter.refuse(sequence, status);
      // Bytes that nobody reads would keep the loop awake until the refusal has left.
      pauseReading();
      abandonInput();
      deadline = queue.deadline(GOODBYE_MILLIS, () -> fail(refusal));
    }
  }

  /** Nothing more is read: a receive that it has for a message, or waits for, is free for others. */
  private void abandonInput() {
    receives.forget(this);
    if (reader != null) {
      reader.abandon();
      reader = null;
    }
  }

  /** The peer refused an operation of ours. */
  void refused(long sequence, int status) {
    end(new ProviderException(status == Status.REMOTE_ACCESS ? Reason.PERMISSION : Reason.INVALID, "nio: " + remoteAddress
      + " refused an operation with " + Status.name(status) + (status == Status.LENGTH ? ": the message was longer than its receive"
        : ": the remote key, range or access is wrong, or the region was closed")
      + "; the connection is over"), false, sequence, status);
  }

  void memoryClosed() {
    fail(new ProviderException(Reason.INVALID, "nio: a memory region was closed while the connection with " + remoteAddress
      + " used it: close regions after their operations have ended"));
  }

  void protocolError(String what) {
    fail(new ProviderException(Reason.OTHER, "nio: " + what + " (" + remoteAddress + "): is it the same version of this provider?"));
  }

  void peerDisconnected() {
    end(new ProviderException(Reason.DISCONNECTED, "nio: " + remoteAddress + " disconnected"), true, -1, Status.OK);
  }

  void inputEnded() {
    if (state == EndpointState.CONNECTING) {
      fail(new ProviderException(Reason.REFUSED, "nio: " + remoteAddress + " closed the connection without an answer: the listener there "
        + "was closed, or is not of this provider"));
    } else {
      // The errno of a socket is told once, to a call that does not ask for it.
      fail(new ProviderException(Reason.DISCONNECTED, "nio: the connection with " + remoteAddress + " was lost: the peer is gone"));
    }
  }

  /** @param cause of the socket, of its being watched, or of memory that was freed or belongs to another thread */
  void inputFailed(Exception cause) {
    fail(new ProviderException(Reason.DISCONNECTED, "nio: the connection with " + remoteAddress + " was lost: " + cause.getMessage(),
      cause));
  }

  /** The socket takes nothing more; what the peer sent before is still read. @param cause of the socket, or of memory */
  void outputFailed(Exception cause) {
    if (refusal != null) {
      inputFailed(cause);
      return;
    }
    outputFailure = cause;
    read();
  }

  /** The last frame is in the socket. */
  void outputEnded() {
    ProviderException cause = refusal != null ? refusal
      : new ProviderException(Reason.DISCONNECTED, "nio: disconnected from " + remoteAddress + " by this side");
    end(cause, true, -1, Status.OK);
  }

  // Ends.

  void disconnect() {
    switch (state) {
      case INIT, CONNECTING -> fail(new ProviderException(Reason.DISCONNECTED, "nio: disconnected by this side before it was connected"));
      case CONNECTED -> {
        state = EndpointState.BROKEN;
        transmitter.disconnect();
        deadline = queue.deadline(GOODBYE_MILLIS, () -> fail(new ProviderException(Reason.DISCONNECTED, "nio: disconnected from "
          + remoteAddress + " by this side, which the peer did not read within " + GOODBYE_MILLIS + " ms")));
        pump();
      }
      default -> {
      }
    }
  }

  void peerDead(String reason) {
    if (state != EndpointState.CLOSED) {
      fail(new ProviderException(Reason.DISCONNECTED, "nio: " + remoteAddress + " is dead: " + reason));
    }
  }

  void fail(ProviderException cause) {
    end(cause, false, -1, Status.OK);
  }

  /**
   * @param linger whether what is in the socket should still reach the peer
   * @param refused the sequence of the operation that the peer refused, with its status; -1 if none
   */
  private void end(ProviderException cause, boolean linger, long refused, int status) {
    if (over) {
      return;
    }
    state = EndpointState.BROKEN;
    failure = cause;
    release(linger, refused, status, cause.getMessage());
    queue.disconnected(endpoint, handler, cause);
  }

  private void release(boolean linger, long refused, int status, String reason) {
    over = true;
    if (deadline != null) {
      deadline.cancel();
    }
    if (socket != null) {
      if (linger) {
        queue.linger(socket);
      } else {
        socket.close();
      }
    }
    sends.flush(transmitter == null ? 0 : transmitter.written(), refused, status, reason);
    abandonInput();
    if (!receives.shared()) {
      receives.flush();
    }
    if (transmitter != null) {
      transmitter.abandon();
    }
  }

  void close() {
    if (state == EndpointState.CLOSED) {
      return;
    }
    boolean told = !over && state == EndpointState.CONNECTED && transmitter.farewell();
    state = EndpointState.CLOSED;
    if (!over) {
      release(told, -1, Status.OK, "the endpoint was closed");
    }
    queue.remove(endpoint);
  }
}
