package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;

/**
 * Connection attempt. If the two queues already share ring buffers, the request goes through them, otherwise over a new socket. The queues
 * keep that socket for new rings, unless the acceptor finds common ones.
 */
final class ShmConnector implements Pollable {
  private static final long RETRY_MILLIS = 5;
  /** User number that the kernel reports for other user namespaces: the default of {@code overflowuid} of proc_sys_kernel(5). */
  private static final long UNMAPPED_USER = 65_534;

  private final ShmEndpoint endpoint;
  private final ShmQueue queue;
  private final String path;
  private final int number;
  private final byte[] privateData;
  /** Random number that an acceptance through a ring must repeat. */
  private final long token = ShmQueue.random();
  /** Rings through which the request may be accepted; null if only the socket may be used. */
  private QueueLink shared;
  private boolean bySocket;
  private DescriptorSocket socket;
  private boolean over;

  ShmConnector(ShmEndpoint endpoint, ShmQueue queue, String path, int number, byte[] privateData) {
    this.endpoint = endpoint;
    this.queue = queue;
    this.path = path;
    this.number = number;
    this.privateData = privateData;
  }

  void start() {
    QueueLink known = queue.connectedTo(endpoint.remoteAddress());
    if (known != null && known.connect(endpoint, number, token, privateData)) {
      shared = known;
    } else {
      askBySocket();
    }
  }

  boolean expects(QueueLink by, long answered) {
    return shared == by && token == answered;
  }

  boolean isBy(QueueLink other) {
    return shared == other && !bySocket;
  }

  void askBySocket() {
    leaveShared();
    hangUp();
    if (!bySocket) {
      bySocket = true;
      queue.connecting(1);
    }
    connect();
  }

  private void leaveShared() {
    if (shared != null) {
      QueueLink left = shared;
      shared = null;
      left.leave(endpoint, 0, false);
    }
  }

  private void hangUp() {
    if (socket != null) {
      queue.sockets.unwatch(socket.fd, this);
      socket.close();
      socket = null;
    }
  }

  private void connect() {
    if (over) {
      return;
    }
    try {
      socket = queue.sockets.connect(path);
      if (socket == null) {
        // The listener's backlog is full.
        queue.deadline(RETRY_MILLIS, this::connect);
      } else if (!socket.isAdmittedTo(queue.domain.folder())) {
        throw new ProviderException(Reason.REFUSED, "shm: cannot connect to " + path + ": a process of user " + socket.user
          + (socket.user == UNMAPPED_USER ? ", the number of users of another user namespace," : "") + " listens there. Run both as "
          + (queue.domain.folder().isOfGroup() ? "members of the group " + queue.domain.folder().group() : "one user")
          + " in one user namespace, or let them use another fabric.");
      } else {
        queue.watch(socket.fd, this);
        byte[] proof = offerShared();
        socket.send(SocketMessage.of(SocketMessage.CONNECT,
          out -> out.i64(SocketMessage.magic(SocketMessage.VERSIONS)).i32((int) queue.domain.folder().user()).i64(queue.id(0))
            .i64(queue.id(1)).i32(number)
            .i32(ShmDevice.READS_IN_FLIGHT).i64(token).bytes(proof).bytes(privateData)));
      }
    } catch (ProviderException e) {
      endpoint.fail(e);
    }
  }

  /**
   * Permits an acceptance through rings that the listener's queue probably shares with this queue.
   *
   * @return HMAC with the rings' secret; zeros without such rings
   */
  private byte[] offerShared() {
    QueueLink known = queue.named(endpoint.remoteAddress());
    if (known == null) {
      return LinkKey.nothing();
    }
    shared = known;
    shared.add(endpoint);
    return known.key.prove(token, endpoint.remoteAddress());
  }

  @Override
  public void ready() {
    SocketMessage.Received message = socket == null || over ? null : socket.receive();
    if (message == null) {
      return;
    }
    try {
      take(message);
    } catch (ProviderException e) {
      endpoint.fail(e);
    } catch (RuntimeException | Error e) {
      endpoint.broken(e);
    } finally {
      message.discard();
    }
  }

  private void take(SocketMessage.Received message) {
    message.checkWhole();
    VersionRange versions = message.type() == SocketMessage.ACCEPT || message.type() == SocketMessage.OTHER_VERSIONS
      ? SocketMessage.versions(message) : null;
    if (message.type() == SocketMessage.ELSEWHERE && shared != null) {
      hangUp();
    } else if (message.type() == SocketMessage.REJECT) {
      endpoint.rejected(message.fields().rest());
    } else if (message.type() == SocketMessage.OTHER_USERS && message.has(4, 0)) {
      throw otherUsers("this process", message.fields().i32(), queue.domain.folder().user());
    } else if (versions != null && SocketMessage.VERSIONS.common(versions) == 0) {
      throw new ProviderException(Reason.REFUSED, "shm: cannot connect to " + endpoint.remoteAddress() + ": "
        + SocketMessage.VERSIONS.refusal("the peer", "the protocol of shared memory", versions));
    } else if (versions != null && message.type() == SocketMessage.ACCEPT && message.has(60, 2)) {
      accepted(message, message.fields());
    } else {
      endpoint.fail(Reason.REFUSED, endpoint.remoteAddress() + " closed the connection without a reply: its listener was closed, or "
        + "its version of vertx-rdma is too old and must be upgraded");
    }
  }

  private void accepted(SocketMessage.Received message, Cursor in) {
    // Skips magic and version.
    in.i64();
    int user = in.i32();
    if (queue.domain.folder().isOfGroup() && socket.user != Integer.toUnsignedLong(user)) {
      throw otherUsers("that process", user, socket.user);
    }
    in.i32();
    QueueLink link = new QueueLink(queue, socket, in.i64(), in.i64(), new LinkKey(in.bytes(LinkKey.LENGTH)));
    queue.sockets.unwatch(socket.fd, this);
    end();
    try {
      link.join(message);
      queue.watch(socket.fd, link);
      queue.add(link);
      link.say(SocketMessage.of(SocketMessage.JOIN, queue.state, link.output.file().file));
      link.output.file().handedOver();
    } catch (ProviderException e) {
      link.close();
      throw e;
    }
    int theirNumber = in.i32();
    int theirReads = in.i32();
    link.remember(endpoint.remoteAddress(), in.i32());
    endpoint.established(link, theirNumber, theirReads, in.rest());
  }

  private ProviderException otherUsers(String whose, int there, long here) {
    return new ProviderException(Reason.UNREACHABLE, "shm: cannot connect to " + endpoint.remoteAddress() + ": the process that "
      + "listens there is in another user namespace, in which the user of " + whose + " is "
      + Integer.toUnsignedLong(there) + " instead of " + here + ". Run both processes in one user namespace, or use another "
      + "fabric.");
  }

  private void end() {
    over = true;
    leaveShared();
    if (bySocket) {
      queue.connecting(-1);
    }
  }

  void close() {
    if (!over) {
      end();
      hangUp();
    }
  }
}
