package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.SoftwareEndpoint;
import java.lang.foreign.MemorySegment;

/** Endpoint over shared memory. {@link Outgoing} and {@link Incoming} transfer its data. */
final class ShmEndpoint extends SoftwareEndpoint {
  private static final byte[] NOTHING = {};

  private final ShmQueue queue;
  private final Outgoing outgoing;
  final Incoming incoming;
  private ShmConnector connector;
  private QueueLink link;
  private int number;
  private boolean numbered;
  private boolean connects;
  private int peerNumber;
  /** Cause of the peer's end. It is reported after all messages that wait for receives. */
  private ProviderException peerEnd;
  /** True while a message can be written in place: from the connection until a disconnect, a refusal or the peer's end. */
  private boolean claims;

  ShmEndpoint(ShmQueue queue, EndpointOptions options, EndpointHandler handler) {
    super(queue, options, handler);
    this.queue = queue;
    outgoing = new Outgoing(this);
    incoming = new Incoming(this, queue, receiveQueue(), outgoing);
  }

  QueueLink link() {
    return link;
  }

  int peerNumber() {
    return peerNumber;
  }

  @Override
  protected int waiting() {
    return outgoing.waiting();
  }

  @Override
  public void connect(EndpointAddress remote, byte[] privateData) {
    checkConnect(remote, privateData);
    String path = queue.domain.shm().socket(remote);
    enroll();
    connects = true;
    addresses(ShmQueue.address(queue.id(0), number), remote);
    connecting(remote);
    connector = new ShmConnector(this, queue, path, number, privateData);
    connector.start();
  }

  private void enroll() {
    number = queue.connections.add(this);
    numbered = true;
  }

  ShmConnector connector() {
    return connector;
  }

  void established(QueueLink with, int theirNumber, int theirReads, byte[] data) {
    disconnectConnector();
    begin(with, theirNumber, theirReads, data);
  }

  private void begin(QueueLink with, int theirNumber, int theirReads, byte[] data) {
    link = with;
    peerNumber = theirNumber;
    claims = true;
    connected(theirReads, data);
    link.add(this);
  }

  private void disconnectConnector() {
    if (connector != null) {
      connector.close();
      connector = null;
    }
  }

  void accept(ShmRequest request, ShmListener listener, byte[] data) {
    addresses(listener.localAddress(), request.remoteAddress());
    try {
      enroll();
    } catch (ProviderException e) {
      request.refuse(NOTHING);
      fail(e);
      return;
    }
    QueueLink known = request.link != null ? request.link : queue.provenBy(request);
    if (known != null && request.socket != null && !known.isThere()) {
      known = null;
    }
    int askable = queue == listener.queue() ? listener.number : 0;
    if (known != null && known.output.sendConnection(Record.ACCEPT, request.connector.number(), askable, number,
      request.connector.token(), data)) {
      request.acceptedElsewhere();
      begin(known, request.connector.number(), request.connector.readsInFlight(), NOTHING);
    } else if (request.socket == null) {
      request.link.output.askBySocket(request.connector.number());
      failUnreached();
      return;
    } else {
      QueueLink made = null;
      try {
        made = new QueueLink(queue, request.socket, request.connector.high(), request.connector.low(), LinkKey.random());
        queue.watch(request.socket.fd, made);
      } catch (ProviderException e) {
        if (made != null) {
          made.close();
        }
        request.socket.close();
        fail(e);
        return;
      }
      byte[] key = made.key.bytes();
      request.socket.admitFiles();
      boolean there = request.socket.send(SocketMessage.of(SocketMessage.ACCEPT,
        out -> out.i64(SocketMessage.magic(VersionRange.only(request.version()))).i32((int) queue.domain.folder().user())
          .i32(request.connector.number()).i64(queue.id(0))
          .i64(queue.id(1)).bytes(key).i32(number).i32(ShmDevice.READS_IN_FLIGHT).i32(askable).bytes(data),
        queue.state, made.output.file().file));
      made.output.file().handedOver();
      if (!there) {
        made.close();
        failUnreached();
        return;
      }
      queue.add(made);
      begin(made, request.connector.number(), request.connector.readsInFlight(), NOTHING);
    }
  }

  private void failUnreached() {
    fail(Reason.DISCONNECTED, remoteAddress() + " has ended: its attempt to connect timed out or was cancelled, or its process ended");
  }

  @Override
  public int post(WorkRequest request) {
    return hasPeer() ? outgoing.post(request) : Status.NOT_CONNECTED;
  }

  @Override
  public long claim(int length) {
    return claims ? outgoing.claim(length) : -1;
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
    link.output.wakePeer();
    return Status.OK;
  }

  private boolean hasPeer() {
    return state() == EndpointState.CONNECTED && peerEnd == null;
  }

  void pump() {
    outgoing.pump();
  }

  @Override
  protected void run() {
    incoming.receiveHeld();
    if (peerEnd != null && !isRefusing()) {
      ended(peerEnd);
    }
  }

  @Override
  protected void sendDisconnect() {
    claims = false;
    outgoing.finish();
  }

  void peerLeft() {
    ended(new ProviderException(Reason.DISCONNECTED, "shm: " + remoteAddress() + " disconnected"));
  }

  /** Ends this endpoint once no message of the peer waits for a receive. */
  private void ended(ProviderException cause) {
    peerEnd = cause;
    claims = false;
    if (!incoming.holds()) {
      fail(cause);
    }
  }

  @Override
  protected void sendRefusal(long sequence, int status) {
    claims = false;
    outgoing.refuse(sequence, status);
  }

  void refused(long sequence, int status) {
    outgoing.failed(sequence, status);
    refused(status);
  }

  /** Called when the link to the peer's queue has ended. A connect through its ring continues over the listener's socket. */
  void lost(ProviderException cause) {
    if (connector != null) {
      connector.askBySocket();
    } else if (peerEnd == null) {
      ended(cause);
    }
  }

  @Override
  protected void release(String reason) {
    claims = false;
    disconnectConnector();
    outgoing.flush(reason);
    incoming.abandon();
    if (numbered) {
      queue.connections.remove(number);
    }
    if (link != null) {
      link.leave(this, peerNumber, peerEnd == null);
    }
  }

  @Override
  public byte[] channelBinding() {
    if (link == null) {
      return NOTHING;
    }
    MeetingFolder folder = queue.domain.folder();
    return connects ? folder.binding(folder.user(), link.user()) : folder.binding(link.user(), folder.user());
  }
}
