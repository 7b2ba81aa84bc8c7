package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.CmLayout.*;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * Connection made by the connection manager, as the connecting or accepting side; rdma_cm(7). On iWARP the kernel moves the queue pair to
 * state RTS (ready to send).
 */
final class CmConnection extends Connection {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_DOUBLINGS = 8;

  private final RdmaCm cm;
  private final CmChannel channel;
  private final boolean iwarp;
  long id;
  private String step = "none";
  private byte[] privateData;
  private int readsAsInitiator;
  private int staleRejections;
  private boolean underWay;
  private boolean peerAnswered;

  CmConnection(VerbsEndpoint endpoint) {
    super(endpoint);
    cm = domain.cm();
    channel = endpoint.queue.events.cm;
    iwarp = domain.device().attributes.iwarp();
    InetAddress address = domain.device().defaultAddress();
    local = endpoint.options.source() != null ? endpoint.options.source()
      : address == null ? null : EndpointAddress.of(new InetSocketAddress(address, 0));
  }

  @Override
  void connect(EndpointAddress to, byte[] data) {
    inet(to);
    remote = to;
    privateData = CmPrivateData.sent(data, iwarp);
    resolveAddress();
  }

  private void resolveAddress() {
    InetSocketAddress destination = inet(remote);
    id = channel.createId(this::event);
    try (Scratch scratch = Scratch.of(2L * SocketAddresses.ROOM)) {
      long addresses = scratch.address();
      options();
      SocketAddresses.write(addresses, source(destination.getAddress()));
      SocketAddresses.write(addresses + SocketAddresses.ROOM, destination);
      step = "resolving the address";
      if (Calls.number(cm.resolveAddr, id, addresses, addresses + SocketAddresses.ROOM, timeout()) != 0) {
        throw CmFailures.unreachable(endpoint.named(), Errno.last(), "the address cannot be resolved");
      }
    } catch (ProviderException e) {
      channel.destroyId(id);
      id = 0;
      throw e;
    }
  }

  static InetSocketAddress inet(EndpointAddress address) {
    try {
      return address.toInet();
    } catch (IllegalArgumentException e) {
      throw new ProviderException(ProviderException.Reason.INVALID, address + " is not an IP address and port");
    }
  }

  /** Returns the local address to connect from. The connection manager selects the device by it. */
  private InetSocketAddress source(InetAddress destination) {
    if (endpoint.options.source() != null) {
      return inet(endpoint.options.source());
    }
    boolean ipv4 = destination instanceof Inet4Address;
    InetAddress own = domain.device().address(ipv4);
    if (own == null) {
      throw new ProviderException(ProviderException.Reason.UNREACHABLE, domain.device().name() + " has no IPv" + (ipv4 ? 4 : 6)
        + " address from which to reach " + destination.getHostAddress() + "; its addresses are " + domain.device().addresses + ". "
        + "Give its network interface one");
    }
    return new InetSocketAddress(own, 0);
  }

  private int timeout() {
    return Math.max(1, endpoint.options.connectTimeoutMillis());
  }

  private void options() {
    EndpointSettings settings = endpoint.settings;
    if (settings.trafficClass() != 0) {
      option(OPTION_TOS, settings.trafficClass());
    }
    if (settings.timeout() >= 0 && !iwarp) {
      option(OPTION_ACK_TIMEOUT, settings.timeout());
    }
  }

  /** Sets an option. Ignores errors, because older kernels lack some options. */
  private void option(int name, int value) {
    long byteValue = Memory.allocate(8);
    Memory.putByte(byteValue, (byte) value);
    Calls.number(cm.setOption, id, OPTION_ID, name, byteValue, 1);
    Memory.free(byteValue);
  }

  private void event(CmEvent event) {
    endpoint.afterMove(() -> happened(event));
  }

  private void happened(CmEvent event) {
    peerAnswered |= underWay;
    switch (event.type()) {
      case ADDR_RESOLVED -> attempt("resolving the route", this::resolveRoute);
      case ROUTE_RESOLVED -> attempt("waiting for the peer's answer", this::request);
      case CONNECT_RESPONSE -> attempt("answering the peer", () -> accepted(event));
      case ESTABLISHED -> established(event);
      case DISCONNECTED -> endpoint.broke(new ProviderException(ProviderException.Reason.DISCONNECTED,
        endpoint.named() + ": the peer disconnected" + domain.async.portEvent));
      case DEVICE_REMOVAL -> endpoint.broke(new ProviderException(ProviderException.Reason.MISSING,
        endpoint.named() + ": the device was removed, or its driver was unloaded. Connect again when it is back"));
      case TIMEWAIT_EXIT, ADDR_CHANGE -> {
        // A reused queue pair number (TIMEWAIT_EXIT) or a failover of a bond (ADDR_CHANGE) does not affect a working connection.
      }
      case REJECTED -> rejected(event);
      default -> endpoint.broke(CmFailures.of(endpoint.named(), step, event, iwarp));
    }
  }

  private void rejected(CmEvent event) {
    boolean stale = !iwarp && event.status() == CmReject.STALE_CONN.number;
    if (stale && endpoint.state() == EndpointState.CONNECTING && readsAsInitiator == 0) {
      pause();
    } else {
      endpoint.broke(CmFailures.of(endpoint.named(), step, event, iwarp));
    }
  }

  /** Waits before another attempt after STALE_CONN. The peer's kernel still had an old connection of this queue pair, and now closes it. */
  private void pause() {
    underWay = false;
    channel.destroyId(id);
    id = 0;
    step = "waiting before another attempt";
    if (staleRejections++ == 0) {
      retry();
    } else {
      endpoint.queue.events.start(endpoint.deadline(EndpointDeadline.Kind.RETRY),
        Math.min(FIRST_PAUSE_NANOS << Math.min(staleRejections, MOST_DOUBLINGS), LONGEST_PAUSE_NANOS));
    }
  }

  @Override
  void retry() {
    attempt(step, this::resolveAddress);
  }

  private void attempt(String name, Runnable action) {
    step = name;
    if (endpoint.state() == EndpointState.CONNECTING) {
      try {
        action.run();
      } catch (ProviderException e) {
        endpoint.broke(e);
      }
    }
  }

  private void resolveRoute() {
    AddressSearch.BoundPort port = AddressSearch.portOf(id);
    if (!domain.device().isAt(port)) {
      throw new ProviderException(ProviderException.Reason.UNREACHABLE, endpoint.named() + ": the route to the peer leads through "
        + "device " + port + ", not through this one. Connect with that device, or choose another source address");
    }
    if (Calls.number(cm.resolveRoute, id, timeout()) != 0) {
      throw CmFailures.unreachable(endpoint.named(), Errno.last(), "the route cannot be resolved");
    }
  }

  private void request() {
    local = address(ID_SOURCE, local);
    if (!iwarp) {
      endpoint.pair.offerEnhancements(cm, id);
    }
    call(id, "rdma_connect", cm.connect, privateData, domain.device().attributes.readsAsTarget(),
      domain.device().attributes.readsAsInitiator());
    underWay = true;
  }

  /** Handles the peer's acceptance on InfiniBand or RoCE: moves the queue pair to RTS, then confirms the connection; rdma_establish(3). */
  private void accepted(CmEvent event) {
    long confirmed = id;
    endpoint.move(() -> {
      moveQueuePair(confirmed, event.readsAsTarget(), event.readsAsInitiator());
      if (Calls.number(cm.establish, confirmed) != 0) {
        throw CmFailures.unreachable(endpoint.named(), Errno.last(), "the connection could not be confirmed");
      }
    }, () -> endpoint.connected(CmPrivateData.received(event.privateData(), iwarp), event.readsAsInitiator()));
  }

  private void established(CmEvent event) {
    if (readsAsInitiator == 0) {
      endpoint.connected(CmPrivateData.received(event.privateData(), iwarp), event.readsAsInitiator() == 0
        ? domain.device().attributes.readsAsInitiator() : event.readsAsInitiator());
    } else {
      endpoint.connected(CmPrivateData.NONE, readsAsInitiator);
    }
  }

  /** Takes over the id of a request. If that fails, the request still owns the id. */
  void request(long requestId, CmChannel from, CmEvent event) {
    channel.migrate(requestId, from, this::event);
    id = requestId;
    local = address(ID_SOURCE, local);
    remote = address(ID_DESTINATION, null);
    readsAsInitiator = Math.max(1, Math.min(event.readsAsInitiator(), domain.device().attributes.readsAsInitiator()));
  }

  /** Accepts the request, unless the endpoint failed or was closed meanwhile. */
  void accept(byte[] data, CmEvent event) {
    endpoint.connecting();
    attempt("waiting for the peer's confirmation", () -> {
      int readsAsTarget = Math.min(event.readsAsTarget(), domain.device().attributes.readsAsTarget());
      options();
      long accepted = id;
      Runnable answer = () -> call(accepted, "rdma_accept", cm.accept, CmPrivateData.sent(data, iwarp), readsAsTarget, readsAsInitiator);
      if (iwarp) {
        answer.run();
      } else {
        endpoint.move(() -> {
          moveQueuePair(accepted, readsAsTarget, readsAsInitiator);
          endpoint.pair.offerEnhancements(cm, accepted);
          answer.run();
        }, () -> {
        });
      }
      underWay = true;
    });
  }

  @Override
  void established() {
    // The peer's first message can arrive before its confirmation. Then the connection manager must be notified; rdma_notify(3).
    if (!iwarp && readsAsInitiator != 0) {
      Calls.number(cm.notifyEvent, id, VerbsLayout.EVENT_COMM_EST);
    }
    endpoint.connected(CmPrivateData.NONE, readsAsInitiator);
  }

  /** Moves the queue pair to RTS. Called off the event loop. */
  private void moveQueuePair(long id, int readsAsTarget, int readsOfOurs) {
    EndpointSettings settings = endpoint.settings;
    QueuePair pair = endpoint.pair;
    pair.takeEnhancements(cm, id);
    pair.modifyForConnection(cm, id, VerbsLayout.QPS_INIT, attributes -> {}, 0);
    pair.modifyForConnection(cm, id, VerbsLayout.QPS_RTR, attributes -> {
      Memory.putByte(attributes + VerbsLayout.QP_ATTR_DEST_READS, (byte) readsAsTarget);
      Memory.putByte(attributes + VerbsLayout.QP_ATTR_RNR_TIMER, (byte) settings.rnrTimer());
      Memory.putInt(attributes + VerbsLayout.QP_ATTR_MTU, mtu(Memory.getInt(attributes + VerbsLayout.QP_ATTR_MTU)));
    }, VerbsLayout.MASK_RNR_TIMER);
    pair.modifyForConnection(cm, id, VerbsLayout.QPS_RTS,
      attributes -> Memory.putByte(attributes + VerbsLayout.QP_ATTR_READS, (byte) readsOfOurs), 0);
  }

  /** Returns the MTU to use. @param path that of the connecting node's port */
  private int mtu(int path) {
    Port own = Port.query(domain.verbs, domain.context, domain.device().port.number());
    if (endpoint.settings.pathMtu() == 0 && own != null && own.mtu() < path) {
      throw new ProviderException(ProviderException.Reason.UNREACHABLE, endpoint.named() + ": the MTU of the peer's port is "
        + (128 << path) + " bytes, and that of this port " + (128 << own.mtu()) + ", so that longer packets would be lost. Set "
        + "verbs.path-mtu of both nodes to the smaller one, or verbs.connect to exchange");
    }
    return Math.min(path, endpoint.settings.mtuCode(path));
  }

  private void call(long id, String name, long function, byte[] data, int readsAsTarget, int readsOfOurs) {
    try (Scratch scratch = Scratch.of(PARAM_ROOM + Math.max(1, data.length))) {
      long param = scratch.address();
      Memory.putBytes(param + PARAM_ROOM, data);
      Memory.putLong(param + PARAM_DATA, data.length == 0 ? 0 : param + PARAM_ROOM);
      Memory.putByte(param + PARAM_DATA_LENGTH, (byte) data.length);
      Memory.putByte(param + PARAM_RESPONDER_READS, (byte) readsAsTarget);
      Memory.putByte(param + PARAM_INITIATOR_READS, (byte) readsOfOurs);
      Memory.putByte(param + PARAM_RETRY, (byte) endpoint.settings.retries());
      Memory.putByte(param + PARAM_RNR_RETRY, (byte) endpoint.settings.rnrRetries());
      Memory.putInt(param + PARAM_QP_NUM, endpoint.pair.number);
      if (Calls.number(function, id, param) != 0) {
        throw CmFailures.unreachable(endpoint.named(), Errno.last(), name + " failed");
      }
    }
  }

  private EndpointAddress address(int offset, EndpointAddress fallback) {
    InetSocketAddress address = SocketAddresses.read(id + offset, SocketAddresses.ROOM);
    return address == null ? fallback : EndpointAddress.of(address);
  }

  @Override
  String step() {
    return staleRejections == 0 ? step : step + ", after " + staleRejections + " rejections, since the peer still has an old "
      + "connection of this queue pair";
  }

  @Override
  void disconnect() {
    // On iWARP, cancelling an unanswered connect blocks. Only the task that close() returns may do that.
    if (id != 0 && underWay && !waitsForPeer()) {
      underWay = false;
      Calls.number(cm.disconnect, id);
    }
  }

  private boolean waitsForPeer() {
    return iwarp && readsAsInitiator == 0 && !peerAnswered;
  }

  @Override
  boolean isAwaited() {
    return id != 0 && underWay && waitsForPeer();
  }

  @Override
  Runnable close() {
    boolean awaited = isAwaited();
    long closing = id;
    id = 0;
    return closing == 0 ? () -> {
    } : awaited ? channel.abandonId(closing) : channel.forgetId(closing);
  }
}
