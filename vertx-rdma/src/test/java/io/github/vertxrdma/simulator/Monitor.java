package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.link.FrameStream;
import io.github.vertxrdma.impl.link.LinkState;
import io.github.vertxrdma.impl.link.PlainHandshake;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import io.github.vertxrdma.provider.devices.forward.ForwardingReceiveQueue;
import io.github.vertxrdma.simulator.world.Trace;
import io.github.vertxrdma.simulator.world.VirtualTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A device between the links of a node and its fabric that watches posts and completions, and their order. It compares credits with posted
 * receives, and notes the cells of the protocol's tables that are reached.
 */
final class Monitor extends ForwardingDevice {
  private static final PlainHandshake HANDSHAKE = new PlainHandshake(Node.WORD);

  private final int node;
  private final Trace trace;
  private final Cells cells;
  private final Consumer<String> violated;
  /** Returns the nanoseconds for which the fabric keeps operations that were under way when an endpoint was closed. */
  private final LongSupplier keeps;
  private final VirtualTime time;
  private int endpoints;
  private final Supplier<Domain> opening;
  private MonitoredDomain domain;
  private int mostPosted;
  private long lookedAt;

  Monitor(Device raw, Supplier<Domain> opening, int node, VirtualTime time, Trace trace, Cells cells, LongSupplier keeps,
    Consumer<String> violated) {
    super(raw, raw.name());
    this.opening = opening;
    this.node = node;
    this.time = time;
    this.trace = trace;
    this.cells = cells;
    this.keeps = keeps;
    this.violated = violated;
  }

  @Override
  public Domain open() {
    domain = new MonitoredDomain(this, opening.get());
    return domain;
  }

  void check() {
    if (domain != null) {
      int posted = 0;
      for (MonitoredReceives queue : domain.queues) {
        queue.check();
        posted += queue.wanted();
      }
      mostPosted = Math.max(mostPosted, posted);
    }
  }

  long lookedAt() {
    return lookedAt;
  }

  int mostPosted() {
    return mostPosted;
  }

  void delivered(Endpoint endpoint) {
    MonitoredEndpoint of = (MonitoredEndpoint) endpoint;
    if (!of.model.delivered() && !((MonitoredReceives) of.receiveQueue()).hasLate()) {
      violated("a message of endpoint " + of.number + " was delivered before its receive was posted again");
    }
  }

  static FrameModel model(Endpoint endpoint) {
    return ((MonitoredEndpoint) endpoint).model;
  }

  private void violated(String what) {
    violated.accept("node " + node + ": " + what);
  }

  private final class MonitoredDomain extends ForwardingDomain {
    final Set<MonitoredReceives> queues = new LinkedHashSet<>();

    MonitoredDomain(ForwardingDevice device, Domain raw) {
      super(device, raw);
    }

    MonitoredReceives shared() {
      return queues.stream().filter(MonitoredReceives::shared).findFirst().orElseThrow();
    }

    @Override
    protected ForwardingQueue newQueue(CompletionQueue behind) {
      return new MonitoredQueue(behind);
    }

    @Override
    protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      return new MonitoredEndpoint(this, queue, options, handler);
    }

    @Override
    protected ForwardingEndpoint newEndpoint(ConnectionRequest request, ForwardingQueue queue, EndpointOptions options,
      EndpointHandler handler) {
      MonitoredEndpoint endpoint = new MonitoredEndpoint(this, queue, options, handler);
      byte[] greeting = HANDSHAKE.greeting(request.privateData());
      if (greeting != null) {
        endpoint.model.greeted(greeting);
      }
      return endpoint;
    }

    @Override
    protected ForwardingReceiveQueue newReceiveQueue(ReceiveQueue behind) {
      MonitoredReceives receives = new MonitoredReceives(this, behind);
      queues.add(receives);
      return receives;
    }
  }

  private static final class Receive {
    final MemoryRegion region;
    final long offset;
    MonitoredEndpoint endpoint;
    FrameModel.Seen frame;
    LinkState polledIn;
    /**
     * Whether it is posted again later than its frame was handled, since others wait. Then the state in which the frame was handled is
     * unknown.
     */
    boolean late;

    Receive(MemoryRegion region, long offset) {
      this.region = region;
      this.offset = offset;
    }
  }

  private final class MonitoredReceives extends ForwardingReceiveQueue {
    private final Map<Long, Receive> receives = new HashMap<>();
    private final Set<MonitoredEndpoint> users = new LinkedHashSet<>();
    private final Set<Long> refused = new HashSet<>();
    private int posted;
    private final int reserve;

    MonitoredReceives(MonitoredDomain domain, ReceiveQueue raw) {
      super(domain, raw);
      reserve = shared() ? domain.capabilities().reservedReceives() : 0;
    }

    @Override
    public int post(long id, MemoryRegion region, long offset, int length) {
      Receive before = receives.get(id);
      if (before != null && before.frame != null) {
        before.endpoint.taken(before.frame, before.polledIn, before.late);
        before.frame = null;
      }
      int status = super.post(id, region, offset, length);
      if (status != Status.OK) {
        refused.add(id);
        receives.values().forEach(each -> each.late |= each.frame != null);
      } else {
        refused.remove(id);
      }
      trace.note("receive", node, offset, status);
      if (status == Status.OK) {
        posted++;
        receives.put(id, new Receive(region, offset));
      }
      return status;
    }

    /** Returns whether receives wait to be posted again, which is not a fault of the code that handles their frames. */
    boolean hasLate() {
      return !refused.isEmpty() || receives.values().stream().anyMatch(each -> each.late && each.frame != null);
    }

    int wanted() {
      return posted + refused.size();
    }

    Receive polled(long id) {
      posted--;
      return receives.get(id);
    }

    void check() {
      long granted = 0;
      for (MonitoredEndpoint user : users) {
        granted += user.isLive() ? user.model.outstanding() : 0;
      }
      if (granted > 0 && granted + reserve > posted) {
        violated("peers may send " + granted + " frames, " + posted + " receives are posted and " + reserve + " of them reserved");
      }
    }
  }

  private final class MonitoredQueue extends ForwardingQueue {
    MonitoredQueue(CompletionQueue raw) {
      super(raw);
    }

    @Override
    public int poll(CompletionBatch batch) {
      super.poll(batch);
      if (!batch.isFull()) {
        lookedAt = time.now();
      }
      for (int i = 0; i < batch.size(); i++) {
        MonitoredEndpoint endpoint = (MonitoredEndpoint) batch.endpoint(i);
        trace.note(batch.operation(i).name(), node, endpoint == null ? -1 : endpoint.number, batch.status(i));
        if (batch.operation(i) == Operation.RECEIVE && endpoint == null) {
          domain.shared().polled(batch.requestId(i));
        } else if (batch.operation(i) == Operation.RECEIVE) {
          Receive receive = ((MonitoredReceives) endpoint.receiveQueue()).polled(batch.requestId(i));
          if (batch.status(i) == Status.OK && receive != null) {
            endpoint.received(receive, batch.length(i));
            receive.late = !((MonitoredReceives) endpoint.receiveQueue()).refused.isEmpty();
          }
        }
      }
      return batch.size();
    }
  }

  private final class MonitoredEndpoint extends ForwardingEndpoint {
    final int number = endpoints++;
    final FrameModel model = new FrameModel();
    private final FrameStream stream;
    private final int prefix;
    private byte[] request;
    private boolean closed;
    private int kept;
    private long keptUntil;

    MonitoredEndpoint(ForwardingDomain domain, ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      super(domain, queue, options, handler);
      stream = handler instanceof FrameStream its ? its : null;
      prefix = domain.capabilities().messagePrefix();
    }

    @Override
    protected void bind(Endpoint behind) {
      super.bind(behind);
      ((MonitoredReceives) receiveQueue()).users.add(this);
    }

    boolean isLive() {
      return stream != null && !closed && !stream.isClosed() && state() != EndpointState.BROKEN;
    }

    @Override
    public void connect(EndpointAddress remote, byte[] privateData) {
      request = privateData;
      super.connect(remote, privateData);
    }

    @Override
    protected void onConnected(byte[] privateData) {
      trace.note("connected", node, number, privateData.length);
      byte[] greeting = request == null || stream == null ? null : HANDSHAKE.greeting(request);
      if (greeting != null) {
        model.granted(greeting);
      }
      super.onConnected(privateData);
    }

    @Override
    protected void onDisconnected(ProviderException cause) {
      trace.note("disconnected", node, number, cause.reason().ordinal());
      trace.say(stream == null ? "a liar" : stream.state());
      super.onDisconnected(cause);
    }

    @Override
    public int post(WorkRequest request) {
      FrameModel.Seen frame = request.operation() == Operation.SEND && stream != null
        ? FrameModel.Seen.of(request.region().segment(), request.offset() + prefix, request.length() - prefix) : null;
      int status = super.post(request);
      trace.note(frame == null ? request.operation().name() : Frame.name(frame.type()), node, (long) number << 32 | request.length(),
        status);
      if (frame != null && status == Status.OK) {
        String wrong = model.sent(frame);
        if (wrong != null) {
          violated("endpoint " + number + ' ' + wrong);
        }
      }
      return status;
    }

    void received(Receive receive, long length) {
      FrameModel.Seen frame = length - prefix < Frame.SIZE ? null
        : FrameModel.Seen.of(receive.region.segment(), receive.offset + prefix, length - prefix);
      if (frame != null && stream != null && !closed && !stream.isClosed()) {
        model.received(frame);
        receive.frame = frame;
        receive.endpoint = this;
        receive.polledIn = stream.state();
      }
    }

    void taken(FrameModel.Seen frame, LinkState polledIn, boolean late) {
      LinkState state = stream.isClosed() ? polledIn : stream.state();
      if (!stream.isClosed() && !late) {
        if (!Frame.isIn(stream.frames(), frame.type())) {
          violated("took " + Frame.name(frame.type()) + " in " + state);
        }
        cells.reached(state, frame.type());
      }
      if (state.isOpen()) {
        model.taken(frame).forEach(cells::reached);
      }
    }

    @Override
    public int outstanding() {
      return kept > 0 && time.now() < keptUntil ? kept : super.outstanding();
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        trace.note("close", node, number, 0);
        kept = super.outstanding();
        keptUntil = time.now() + (kept > 0 ? keeps.getAsLong() : 0);
        ((MonitoredReceives) receiveQueue()).users.remove(this);
        super.close();
      }
    }
  }
}
