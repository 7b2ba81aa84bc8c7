package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.AbstractEndpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Endpoint with one queue pair. A {@link Connection} connects it. Confined to the completion queue's thread. */
final class VerbsEndpoint extends AbstractEndpoint implements VerbsSendQueue.Owner, Owners.Owner {
  final VerbsDomain domain;
  final VerbsCompletionQueue queue;
  private final EndpointHandler handler;
  final EndpointOptions options;
  final EndpointSettings settings;
  final QueuePair pair;
  final VerbsSendQueue sends;
  private final OperationPosts posts;
  final VerbsReceiveQueue receives;
  final VerbsQueue.Room room;
  final Map<EndpointDeadline.Kind, EndpointDeadline> deadlines = new EnumMap<>(EndpointDeadline.Kind.class);
  Connection connection;
  private EndpointState state = EndpointState.INIT;
  private ProviderException failure;
  private boolean disconnectReported;
  private boolean flushLate;
  private boolean tearingDown;
  private boolean tornDownLater;
  private boolean destroyed;
  private final int tag;
  final PartitionKey partition;
  final LocalPort port;
  private boolean moving;
  /** Completion queue entries that came while the queue pair changed its state. */
  private final List<byte[]> held = new ArrayList<>();
  private final List<Runnable> heldEvents = new ArrayList<>();

  VerbsEndpoint(VerbsDomain domain, VerbsCompletionQueue queue, EndpointOptions options, EndpointHandler handler, boolean exchanged) {
    super(queue);
    options.checkOwnReceives(domain.device().name());
    this.domain = domain;
    this.queue = queue;
    this.options = options;
    this.handler = handler;
    settings = EndpointSettings.of(options.settings());
    DeviceQuirks.Sends quirks = domain.quirks.sends();
    SparePairs.Wanted wanted = SparePairs.Wanted.of(domain, options, exchanged);
    SparePairs.Ready ready = queue.spares.take(wanted);
    room = ready.room();
    pair = ready.pair();
    partition = ready.partition();
    port = ready.port();
    receives = new VerbsReceiveQueue(this, wanted.receives());
    sends = new VerbsSendQueue(this, quirks, domain.postSend, wanted.usersSends(), wanted.elements(), pair.inlineSize);
    posts = new OperationPosts(domain, sends, wanted.elements(), pair.inlineSize);
    tag = queue.adopt(this);
    domain.async.endpoints.put(queuePair(), this);
  }

  /**
   * Changes the queue pair's state on another thread, then runs {@code then} on the queue's thread. If {@code calls} fails, ends the
   * connection.
   */
  void move(Runnable calls, Runnable then) {
    moving = true;
    boolean begun = domain.control.later(() -> {
      ProviderException failure = null;
      try {
        calls.run();
      } catch (ProviderException e) {
        failure = e;
      } catch (RuntimeException | Error e) {
        failure = new ProviderException(ProviderException.Reason.OTHER, "cannot move the queue pair: " + e, e);
      }
      ProviderException cause = failure;
      queue.events.tell(() -> moved(cause, then));
    });
    if (!begun) {
      domain.control.await();
    }
  }

  private void moved(ProviderException cause, Runnable then) {
    moving = false;
    if (state == EndpointState.CONNECTING) {
      if (cause == null) {
        then.run();
      } else {
        broke(cause);
      }
    }
    reportHeld();
    List<Runnable> events = List.copyOf(heldEvents);
    heldEvents.clear();
    events.forEach(Runnable::run);
  }

  void afterMove(Runnable event) {
    if (moving) {
      heldEvents.add(event);
    } else {
      event.run();
    }
  }

  boolean isMoving() {
    return moving && state == EndpointState.CONNECTING;
  }

  /** Keeps a completion queue entry, because the peer may send before the state change is finished. */
  void hold(long wc) {
    held.add(Memory.getBytes(wc, VerbsLayout.WC_SIZE));
  }

  private void reportHeld() {
    if (!held.isEmpty()) {
      queue.report(held);
      held.clear();
    }
  }

  @Override
  public long queuePair() {
    return pair.pointer;
  }

  @Override
  public boolean isIwarp() {
    return domain.device().attributes.iwarp();
  }

  @Override
  public void completionsKept() {
    queue.completionsKept(sends);
  }

  @Override
  public int tag() {
    return tag;
  }

  String named() {
    return domain.device().name() + ' ' + localAddress() + " to " + remoteAddress();
  }

  void connecting() {
    if (state == EndpointState.INIT) {
      state = EndpointState.CONNECTING;
      queue.events.start(deadline(EndpointDeadline.Kind.CONNECT), TimeUnit.MILLISECONDS.toNanos(options.connectTimeoutMillis()));
    }
  }

  void connected(byte[] privateData, int reads) {
    if (state == EndpointState.CONNECTING) {
      sends.readLimit = Math.max(1, Math.min(reads, sends.depth));
      state = EndpointState.CONNECTED;
      queue.events.stop(deadline(EndpointDeadline.Kind.CONNECT));
      handler.connected(this, privateData);
    }
  }

  EndpointDeadline deadline(EndpointDeadline.Kind kind) {
    return deadlines.computeIfAbsent(kind, missing -> new EndpointDeadline(this, missing));
  }

  void late(EndpointDeadline.Kind kind) {
    switch (kind) {
      case CONNECT -> broke(new ProviderException(ProviderException.Reason.TIMEOUT, named() + ": not connected within "
        + options.connectTimeoutMillis() + " ms. Last step: " + connection.step()));
      case RETRY -> connection.retry();
      case EXPLAIN -> broke(new ProviderException(ProviderException.Reason.DISCONNECTED,
        named() + ": the device ended the connection" + domain.async.portEvent));
      case FLUSH -> {
        if (isOwed()) {
          // First reports completions that are in the queue, because this thread may have been stopped for a while.
          flushLate = true;
          queue.ending(this);
        }
      }
    }
  }

  private boolean isOwed() {
    return sends.outstanding() > 0 || receives.posted() > 0;
  }

  private void takeBack() {
    destroyNative();
    sends.flushForgotten();
    receives.flushForgotten();
  }

  /** Ends the connection. Calls the handler after the completions that are in the queue now. */
  void broke(ProviderException cause) {
    if (state == EndpointState.BROKEN || state == EndpointState.CLOSED) {
      return;
    }
    queue.events.stop(deadline(EndpointDeadline.Kind.CONNECT));
    state = EndpointState.BROKEN;
    failure = cause;
    reportHeld();
    sends.dropHeld();
    connection.disconnect();
    pair.fail();
    queue.ending(this);
    queue.events.start(deadline(EndpointDeadline.Kind.FLUSH));
  }

  /** Called after the completions that were in the queue when the connection ended or when the FLUSH deadline expired. */
  void drained() {
    if (!disconnectReported && state == EndpointState.BROKEN) {
      disconnectReported = true;
      handler.disconnected(this, failure);
    }
    if (flushLate && state == EndpointState.BROKEN && isOwed()) {
      takeBack();
    }
  }

  @Override
  public void workFailed(Operation operation, WorkStatus why, String words) {
    if (why != WorkStatus.WR_FLUSH_ERR) {
      broke(new ProviderException(why.reason, named() + ": a " + operation + " failed with " + words + domain.async.portEvent));
    } else if (state == EndpointState.CONNECTED) {
      // A connection manager event may follow that explains why the device flushed the request.
      queue.events.start(deadline(EndpointDeadline.Kind.EXPLAIN));
    }
  }

  @Override
  public int postFailed(Operation operation, int status, int errno) {
    if (status == Status.NOT_CONNECTED) {
      // Ends the connection, because the device may have accepted the request nevertheless.
      broke(new ProviderException(ProviderException.Reason.DISCONNECTED, errno, refused(operation, errno) + domain.async.portEvent));
    } else if (status == Status.FAILED) {
      if (state == EndpointState.BROKEN || pair.state() == QPS_ERR) {
        return Status.NOT_CONNECTED;
      }
      failure = new ProviderException(ProviderException.Reason.OTHER, errno, refused(operation, errno));
    }
    return status;
  }

  private String refused(Operation operation, int errno) {
    return named() + ": the device refused to post a " + operation + ": " + Errno.describe(errno);
  }

  /** Reports an error completion in the next poll for a request that was queued with {@code MORE} and never posted. */
  @Override
  public void heldBackLost(long requestId, Operation operation, int errno) {
    queue.synthesize(this, requestId, operation, errno == 0 ? WorkStatus.WR_FLUSH_ERR.words
      : "the work request was queued, then the device refused it: " + Errno.describe(errno));
  }

  void messageArrived() {
    if (state == EndpointState.CONNECTING) {
      connection.established();
    }
  }

  @Override
  public EndpointState state() {
    return state;
  }

  @Override
  public ProviderException failure() {
    return failure;
  }

  @Override
  public ReceiveQueue receiveQueue() {
    return receives;
  }

  @Override
  public EndpointAddress localAddress() {
    return connection == null ? null : connection.local;
  }

  @Override
  public EndpointAddress remoteAddress() {
    return connection == null ? null : connection.remote;
  }

  @Override
  public int inlineSize() {
    return pair.inlineSize;
  }

  @Override
  public int sendDepth() {
    return sends.depth;
  }

  @Override
  public int readsInFlight() {
    return sends.readLimit;
  }

  /** Returns 1 for a closed endpoint until its queue pair is destroyed. */
  @Override
  public int outstanding() {
    return state == EndpointState.CLOSED ? destroyed ? 0 : 1 : sends.outstanding();
  }

  @Override
  public void connect(EndpointAddress remote, byte[] privateData) {
    if (state != EndpointState.INIT) {
      throw new IllegalStateException(named() + ": cannot connect in state " + state);
    }
    domain.checkPrivateData(privateData);
    connection.connect(remote, privateData);
    connecting();
  }

  @Override
  public void disconnect() {
    if (state == EndpointState.CONNECTED || state == EndpointState.CONNECTING) {
      broke(new ProviderException(ProviderException.Reason.DISCONNECTED, named() + ": disconnected by this side"));
    }
  }

  @Override
  public void peerDead(String reason) {
    if (state == EndpointState.CONNECTED || state == EndpointState.CONNECTING) {
      broke(new ProviderException(ProviderException.Reason.DISCONNECTED, named() + ": the peer is dead: " + reason));
    }
  }

  @Override
  public void close() {
    if (state == EndpointState.CLOSED) {
      return;
    }
    state = EndpointState.CLOSED;
    queue.disown(this);
    // On iWARP the teardown blocks only during a connect, so it otherwise runs at once.
    beginTeardown(!isIwarp());
    sends.forget();
    destroyNative();
    tearDown(() -> {
      sends.close();
      receives.free();
    });
    if (tornDownLater) {
      tearDown(() -> queue.events.tell(this::destroyed));
    } else {
      destroyed();
    }
  }

  private void destroyed() {
    destroyed = true;
    queue.destroyed(room);
  }

  /**
   * Destroys the native objects, at once or on the {@link VerbsThread}, in this order: the connection manager's id, the queue pair, the
   * memory of its requests. Idempotent.
   */
  private void destroyNative() {
    beginTeardown(moving);
    domain.async.endpoints.remove(queuePair(), this);
    tearDown(pair::close);
  }

  private void beginTeardown(boolean mayWait) {
    if (tearingDown || connection == null) {
      return;
    }
    tearingDown = true;
    tornDownLater = mayWait || connection.isAwaited();
    connection.disconnect();
    Runnable rest = connection.close();
    if (tornDownLater) {
      // In the error state a queue pair neither sends nor receives, so the device uses no memory.
      pair.fail();
    }
    tearDown(rest);
  }

  private void tearDown(Runnable step) {
    if (tornDownLater) {
      domain.control.later(step);
    } else {
      step.run();
    }
  }

  @Override
  public int post(WorkRequest request) {
    return state == EndpointState.CONNECTED ? posts.post(request) : Status.NOT_CONNECTED;
  }

  @Override
  public int flush() {
    return state == EndpointState.CONNECTED ? sends.flush() : Status.NOT_CONNECTED;
  }
}
