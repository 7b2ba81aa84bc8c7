package io.github.vertxrdma.cli;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Provider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Devices of all providers, each opened once for its self-test. */
record Survey(List<Found> providers) {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /**
   * @param fallback whether nodes use the provider only if a setting names it or a peer has no other fabric
   * @param noticed whether a device is missing that most machines have
   */
  record Found(String name, boolean fallback, List<Tested> devices, List<Discovery.Unavailable> unavailable, boolean noticed) {
  }

  /**
   * A device after its self-test.
   *
   * @param capabilities result of the self-test, or the claimed capabilities if the device did not open
   * @param failure why the device did not open; empty if it did
   */
  record Tested(Device device, Capabilities capabilities, Limits limits, String failure) implements Device {
    boolean opens() {
      return failure.isEmpty();
    }

    @Override
    public String provider() {
      return device.provider();
    }

    @Override
    public String name() {
      return device.name();
    }

    @Override
    public String fabric() {
      return device.fabric();
    }

    @Override
    public EndpointType endpointType() {
      return device.endpointType();
    }

    @Override
    public Reach reach() {
      return device.reach();
    }

    @Override
    public boolean hasHostAddress() {
      return device.hasHostAddress();
    }

    @Override
    public long speed() {
      return device.speed();
    }

    @Override
    public Preference preference() {
      return device.preference();
    }

    @Override
    public Domain open() {
      return device.open();
    }

    /** Returns texts that say how each kind of operation is carried out. */
    Map<String, String> strategies() {
      Map<String, String> strategies = new LinkedHashMap<>();
      FabricChoice.strategies(device, capabilities).forEach(strategy -> {
        String[] parts = strategy.split(": ", 2);
        strategies.put(parts[0], parts[1]);
      });
      return strategies;
    }
  }

  static Survey of(List<Provider> providers, DiscoveryOptions options) {
    return new Survey(providers.stream().map(provider -> find(provider, options)).toList());
  }

  List<Device> usable() {
    return providers.stream().flatMap(found -> found.devices().stream()).filter(Tested::opens).<Device>map(d -> d).toList();
  }

  private static Found find(Provider provider, DiscoveryOptions options) {
    try {
      Discovery discovery = patiently(() -> Discovery.by(provider, options));
      List<Tested> tested = new ArrayList<>();
      discovery.devices().forEach(device -> tested.add(test(device)));
      return new Found(provider.name(), provider.isFallback(options), tested, discovery.unavailable(),
        discovery.notice() != null);
    } catch (Exception e) {
      return new Found(provider.name(), false, List.of(), List.of(new Discovery.Unavailable(provider.name(), words(e), "")), false);
    }
  }

  private static Tested test(Device device) {
    try {
      return patiently(() -> {
        try (Domain domain = device.open()) {
          return new Tested(device, domain.capabilities(), domain.limits(), "");
        }
      });
    } catch (Exception e) {
      return new Tested(device, device.capabilities(), device.limits(), words(e));
    }
  }

  /** Runs a task on another thread, so that a hanging driver does not block the command. */
  private static <T> T patiently(Callable<T> task) throws Exception {
    FutureTask<T> future = new FutureTask<>(task);
    Thread.ofPlatform().daemon().name("survey").start(future);
    try {
      return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new TimeoutException("no answer within " + PATIENCE.toSeconds() + " s");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static String words(Exception e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }
}
