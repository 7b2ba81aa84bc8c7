package io.github.vertxrdma.simulator;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.calls.BusInstances;
import io.github.vertxrdma.impl.calls.SimulatedBus;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.provider.EndpointType;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/** A process with a server and clients: a model of a node, with its view of the directory, which is late and not always true. */
final class ServiceMember implements BusInstances {
  static final String NAME = "orders";
  static final int CLOSE_MILLIS = 1_500;
  private static final FabricChoice CHOICE = new FabricChoice("memory", "simulated", "simulated", EndpointType.MSG, List.of(), List.of());

  final ServiceConversation world;
  final RegionMember process;
  final SimulatedLoop home;
  final List<ServiceCaller> callers = new ArrayList<>();
  ServiceServer server;
  LinkListener.Acceptor acceptor;
  boolean stopped;
  private final Map<Integer, ServiceEntry> known = new LinkedHashMap<>();
  private final List<Promise<Void>> awaiting = new ArrayList<>();

  ServiceMember(ServiceConversation world, RegionMember process, SimulatedLoop home) {
    this.world = world;
    this.process = process;
    this.home = home;
  }

  void told(ServiceEntry entry, boolean there) {
    if (there) {
      known.put(entry.instance(), entry);
      List<Promise<Void>> waiting = List.copyOf(awaiting);
      awaiting.clear();
      waiting.forEach(Promise::tryComplete);
    } else {
      known.remove(entry.instance());
    }
  }

  @Override
  public int closeMillis() {
    return CLOSE_MILLIS;
  }

  @Override
  public boolean isSuspected(String nodeId) {
    return false;
  }

  @Override
  public Future<List<ServiceEntry>> await(long millis) {
    Promise<Void> there = Promise.promise();
    if (known.isEmpty()) {
      awaiting.add(there);
      Deadline timer = home.schedule(() -> there.tryFail(new RdmaException(RdmaException.Reason.NOT_FOUND, "no instance")), millis,
        TimeUnit.MILLISECONDS);
      there.future().onComplete(done -> {
        timer.cancel();
        awaiting.remove(there);
      });
    } else {
      there.complete();
    }
    return there.future().map(v -> List.copyOf(known.values()));
  }

  @Override
  public <T> Future<T> connect(ServiceEntry instance, BiFunction<Link, FabricChoice, T> opened) {
    Promise<T> made = Promise.promise();
    process.host.execute(() -> LinkConnector.connect(process.loop, world.addressOf(instance), process.identity(), Greeting.wanting(NAME),
      SimulatedBus.hello(), 3_000, link -> opened.apply(link, CHOICE)).onComplete(made));
    return made.future();
  }
}
