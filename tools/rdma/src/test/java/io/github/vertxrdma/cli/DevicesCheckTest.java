package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Provider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DevicesCheckTest {
  @TempDir
  private Path root;

  private static Provider provider(String name, Discovery discovery) {
    return new Provider() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Discovery discover(DiscoveryOptions options) {
        return discovery;
      }
    };
  }

  @Test
  void deviceThatMostMachinesHaveIsNamedWithTheReasonWhenItIsMissing() {
    Capabilities capabilities = Capabilities.builder().build();
    Device wire = new StubDevice("wire", EndpointType.MSG, Device.Reach.NETWORK, Device.Preference.MSG, capabilities, () -> capabilities);
    Discovery.Unavailable refused = new Discovery.Unavailable("memory", "a call is refused", "permit it");
    Discovery.Unavailable rare = new Discovery.Unavailable("adapter", "there is none", "buy one");
    List<Provider> providers = List.of(provider("wires", new Discovery(List.of(wire), List.of(rare))),
      provider("memories", new Discovery(List.of(), List.of(refused), "cannot use memory: a call is refused.", false)));
    assertEquals(List.of(new Finding(Finding.Level.OK, "wire", "opens (wires)", ""),
      new Finding(Finding.Level.WARNING, "memory", "cannot be used: a call is refused", "permit it")),
      new DevicesCheck(() -> Survey.of(providers, new DiscoveryOptions())).run(new Machine(root, Map.of())));
  }

  @Test
  void adapterOfTheKernelThatLibfabricLacksIsNamed() throws Exception {
    Files.createDirectories(root.resolve("sys/class/cxi/cxi0"));
    Files.createDirectories(root.resolve("sys/class/cxi/cxi1"));
    Capabilities capabilities = Capabilities.builder().build();
    Device first = new StubDevice("cxi:cxi0", EndpointType.RDM, Device.Reach.NETWORK, Device.Preference.RDM, capabilities,
      () -> capabilities);
    List<Finding> findings = new DevicesCheck(() -> Survey.of(List.of(provider("libfabric", new Discovery(List.of(first), List.of()))),
      new DiscoveryOptions())).run(new Machine(root, Map.of()));
    assertEquals(List.of(new Finding(Finding.Level.OK, "cxi:cxi0", "opens (libfabric)", ""),
      Finding.failure("cxi1",
        "the kernel has this adapter, but libfabric has no device cxi:cxi1: its library lacks the provider cxi, or the"
          + " provider cannot use the adapter",
        "export VERTX_RDMA_LIBFABRIC=/opt/cray/libfabric/VERSION/lib64/libfabric.so.1")),
      findings);
  }
}
