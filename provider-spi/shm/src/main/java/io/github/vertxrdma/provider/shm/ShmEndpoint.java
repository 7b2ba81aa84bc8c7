package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.PostedReceives;
import io.github.vertxrdma.provider.software.SoftwareEndpoint;
import java.lang.foreign.MemorySegment;

/** One end of a connection and its life: connecting, accepting, disconnecting, its end. */
final class ShmEndpoint extends SoftwareEndpoint implements PostedReceives.Waiter {
  /** Time that a goodbye or a refusal may wait for room. */
  private static final long GOODBYE_MILLIS = 1000;
  private static final byte[] NOTHING = {};

  private final ShmQueue queue;
  private final Outgoing outgoing;
  private final Incoming incoming;
  private final EndpointOptions options;
  private final EndpointHandler handler;
  private EndpointState state = EndpointState.INIT;
  /** Nothing more happens. */
  private boolean over;
  private ProviderException failure;
  /** Addresses, or null for those that follow from the numbers of queues and endpoints, see {@link ShmQueue#address}. */
  private EndpointAddress localAddress;
  private EndpointAddress remoteAddress;
  private Connector connector;
  private Deadline deadline;
  private Peering peering;
  /** The number that peers put in records for it; valid from connecting on. */
  private int number;
  private boolean numbered;
  private int peerNumber;
  /** The end of the peer's side, which follows the messages that wait for receives; null while that side stands. */
  private ProviderException peerEnd;
  private int readsInFlight = ShmDevice.READS_IN_FLIGHT;

  ShmEndpoint(ShmQueue queue, EndpointOptions options, EndpointHandler handler) {
    super(queue, options);
    this.queue = queue;
    this.options = options;
    this.handler = handler;
    outgoing = new Outgoing(this);
    incoming = new Incoming(this, queue, receiveQueue(), outgoing);
  }

  Incoming incoming() {
    return incoming;
  }

  /** Null before it is connected. */
  Peering peering() {
    return peering;
  }

  int peerNumber() {
    return peerNumber;
  }

  @Override
  protected int waiting() {
    return outgoing.waiting();
  }

  boolean isOver() {
    return over;
  }

  // Connecting

  @Override
  public void connect(EndpointAddress remote, byte[] privateData) {
    if (state != EndpointState.INIT) {
      throw new IllegalStateException("shm: connect to " + remote + " on an endpoint that is " + state);
    }
    queue.domain().checkPrivateData(privateData);
    String path = queue.domain().folder().socket(remote);
    remoteAddress = remote;
    enroll();
    state = EndpointState.CONNECTING;
    int millis = options.connectTimeoutMillis();
    deadline = queue.deadline(millis, () -> fail(new ProviderException(Reason.TIMEOUT, "shm: " + remote + " did not answer within "
      + millis + " ms: is a process listening there, and is it polling its completion queue?")));
    connector = new Connector(this, queue, path, number, privateData);
    connector.start();
  }

  private void enroll() {
    number = queue.connections().add(this);
    numbered = true;
  }

  /** Its connect, while that is under way; else null. */
  Connector connector() {
    return connector;
  }

  /** The peer has accepted. */
  void established(Peering with, int theirNumber, int theirReads, byte[] data) {
    disconnectConnector();
    deadline.cancel();
    deadline = null;
    begin(with, theirNumber, theirReads);
    queue.connected(this, handler, data);
  }

  private void begin(Peering with, int theirNumber, int theirReads) {
    peering = with;
    peerNumber = theirNumber;
    readsInFlight = Math.clamp(theirReads, 1, ShmDevice.READS_IN_FLIGHT);
    state = EndpointState.CONNECTED;
    peering.add(this);
  }

  private void disconnectConnector() {
    if (connector != null) {
      connector.close();
      connector = null;
    }
  }

  /** Accepts a request, over the peering with its queue if there is one. */
  void accept(ShmRequest request, ShmListener listener, byte[] data) {
    localAddress = listener.localAddress();
    remoteAddress = request.remoteAddress();
    try {
      enroll();
    } catch (ProviderException e) {
      request.refuse(NOTHING);
      fail(e);
      return;
    }
    Peering known = queue.peering(request.high(), request.low());
    if (known != null && request.socket() != null && !known.isThere()) {
      // It was let go of before the request was made, and that is news here.
      known = null;
    }
    int askable = queue == listener.queue() ? listener.number() : 0;
    if (known != null && known.output().sendConnection(Record.ACCEPT, request.connection(), askable, number, request.token(), data)) {
      request.acceptedElsewhere();
      begin(known, request.connection(), request.readsInFlight());
    } else if (request.socket() == null) {
      request.peering().output().askBySocket(request.connection());
      fail(gone());
      return;
    } else {
      Peering made = null;
      try {
        made = new Peering(queue, request.socket(), request.high(), request.low());
        queue.watch(request.socket().fd(), made);
      } catch (ProviderException e) {
        if (made != null) {
          made.close();
        }
        request.socket().close();
        fail(e);
        return;
      }
      boolean there = request.socket().send(Message.of(Message.ACCEPT,
        out -> out.i64(Message.MAGIC).i32(request.connection()).i64(queue.id(0)).i64(queue.id(1)).i32(number)
          .i32(ShmDevice.READS_IN_FLIGHT).bytes(data),
        queue.state(), made.output().file().file()));
      made.output().file().handedOver();
      if (!there) {
        made.close();
        fail(gone());
        return;
      }
      queue.add(made);
      begin(made, request.connection(), request.readsInFlight());
    }
    remoteAddress = null;
    queue.connected(this, handler, NOTHING);
  }

  private ProviderException gone() {
    return new ProviderException(Reason.DISCONNECTED, "shm: " + remoteAddress() + " is gone: it gave up, or its process ended");
  }

  // Posting

  @Override
  public int post(WorkRequest request) {
    return hasPeer() ? outgoing.post(request) : Status.NOT_CONNECTED;
  }

  @Override
  public long claim(int length) {
    return hasPeer() ? outgoing.claim(length) : -1;
  }

  @Override
  public MemorySegment claimed() {
    return outgoing.claimed();
  }

  @Override
  public void sendClaimed(int length) {
    outgoing.sendClaimed(length);
  }

  @Override
  public int flush() {
    if (!hasPeer()) {
      return Status.NOT_CONNECTED;
    }
    peering.output().ring();
    return Status.OK;
  }

  private boolean hasPeer() {
    return state == EndpointState.CONNECTED && peerEnd == null;
  }

  /** Goes on with what found no room. */
  void pump() {
    outgoing.pump();
  }

  @Override
  public void receivePosted() {
    queue.receiveNext(this);
  }

  /** A receive was posted for messages that wait. */
  void receiveHeld() {
    incoming.receiveHeld();
    if (peerEnd != null) {
      ended(peerEnd);
    }
  }

  // Ends

  @Override
  public void disconnect() {
    switch (state) {
      case INIT, CONNECTING -> fail(new ProviderException(Reason.DISCONNECTED, "shm: disconnected by this side before it was connected"));
      case CONNECTED -> {
        state = EndpointState.BROKEN;
        deadline = queue.deadline(GOODBYE_MILLIS, this::left);
        outgoing.finish(this::left);
      }
      default -> {
      }
    }
  }

  private void left() {
    fail(new ProviderException(Reason.DISCONNECTED, "shm: disconnected from " + remoteAddress() + " by this side"));
  }

  /** The peer has disconnected. */
  void peerLeft() {
    ended(new ProviderException(Reason.DISCONNECTED, "shm: " + remoteAddress() + " disconnected"));
  }

  /** Ends this side when none of the peer's messages waits for a receive. Until then it only receives. */
  private void ended(ProviderException cause) {
    peerEnd = cause;
    if (!incoming.holds()) {
      fail(cause);
    }
  }

  @Override
  public void peerDead(String reason) {
    if (state != EndpointState.CLOSED) {
      fail(new ProviderException(Reason.DISCONNECTED, "shm: " + remoteAddress() + " is dead: " + reason));
    }
  }

  /** An operation of the peer cannot be: it is told so, and the connection is over. */
  void refuse(long sequence, int status, String reason) {
    ProviderException cause = new ProviderException(status == Status.REMOTE_ACCESS ? Reason.PERMISSION : Reason.INVALID, "shm: " + reason
      + " (connection with " + remoteAddress() + ", which is over)");
    deadline = queue.deadline(GOODBYE_MILLIS, () -> fail(cause));
    outgoing.refuse(sequence, status, () -> fail(cause));
  }

  /** The peer, or what is known of its memory, refuses an operation of this side. */
  void refused(long sequence, int status) {
    outgoing.failed(sequence, status);
    fail(new ProviderException(status == Status.REMOTE_ACCESS ? Reason.PERMISSION : Reason.INVALID, "shm: " + remoteAddress()
      + " refused an operation with " + Status.name(status) + (status == Status.LENGTH ? ": the message was longer than its receive"
        : ": the remote key, range or access is wrong, or the region was closed")
      + "; the connection is over"));
  }

  /** Called when the queues share no memory any more. A connect that went through the ring asks the listener by its socket. */
  void lost(ProviderException cause) {
    if (connector != null) {
      connector.askBySocket();
    } else if (peerEnd == null) {
      ended(cause);
    }
  }

  void memoryGone(RuntimeException cause) {
    fail(new ProviderException(Reason.INVALID, "shm: memory was freed while the connection with " + remoteAddress()
      + " used it, or belongs to another thread: close regions after their operations have ended", cause));
  }

  void violated(String what) {
    fail(new ProviderException(Reason.OTHER, "shm: the peer sent " + what + " (" + remoteAddress()
      + "): is it the same version of this provider?"));
  }

  void fail(ProviderException cause) {
    if (over) {
      return;
    }
    state = EndpointState.BROKEN;
    failure = cause;
    release(cause.getMessage());
    queue.disconnected(this, handler, cause);
  }

  private void release(String reason) {
    over = true;
    if (deadline != null) {
      deadline.cancel();
    }
    disconnectConnector();
    outgoing.flush(reason);
    incoming.abandon();
    if (!receiveQueue().shared()) {
      receiveQueue().flush();
    }
    if (numbered) {
      queue.connections().remove(number);
    }
    if (peering != null) {
      peering.leave(this, peerNumber, peerEnd == null);
    }
  }

  @Override
  public void close() {
    if (state == EndpointState.CLOSED) {
      return;
    }
    state = EndpointState.CLOSED;
    if (!over) {
      release("the endpoint was closed");
    }
    silence();
    queue.remove(this);
  }

  // State and properties

  @Override
  public EndpointState state() {
    return state;
  }

  @Override
  public ProviderException failure() {
    return failure;
  }

  @Override
  public EndpointAddress localAddress() {
    return localAddress != null || !numbered ? localAddress : ShmQueue.address(queue.id(0), number);
  }

  @Override
  public EndpointAddress remoteAddress() {
    return remoteAddress != null || peering == null ? remoteAddress : ShmQueue.address(peering.high, peerNumber);
  }

  @Override
  public int readsInFlight() {
    return readsInFlight;
  }
}
