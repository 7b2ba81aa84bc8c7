package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Order;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Waiting;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class InfoCommandTest {
  private static final Capabilities ORDERED = Capabilities.builder().orders(Set.of(Order.SEND_AFTER_SEND, Order.SEND_AFTER_WRITE))
    .waiting(Waiting.FD).build();
  private static final Capabilities DELIVERS = Capabilities.builder().deliveryComplete(true)
    .add(Operation.FETCH_ADD, Operation.COMPARE_SWAP).build();

  private final Device wire = new StubDevice("wire", EndpointType.MSG, Device.Reach.NETWORK, Device.Preference.MSG, ORDERED, () -> ORDERED);
  private final Device local = new StubDevice("local", EndpointType.RDM, Device.Reach.HOST, Device.Preference.SHARED_MEMORY, DELIVERS,
    () -> DELIVERS);

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private int info(List<Provider> providers, String... arguments) {
    return CliMain.info(providers, Line.info(arguments), new PrintStream(out, true, StandardCharsets.UTF_8));
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private static Provider provider(List<Device> devices, Discovery.Unavailable... unavailable) {
    return new Provider() {
      @Override
      public String name() {
        return "stub";
      }

      @Override
      public Discovery discover(DiscoveryOptions options) {
        return new Discovery(devices, List.of(unavailable));
      }
    };
  }

  @Test
  void showsTheChoiceForEachUseAndWhyTheOthersAreRefused() {
    assertEquals(0, info(List.of(provider(List.of(wire, local)))));
    assertTrue(printed().contains("chosen for a peer on this host: local, then wire (2.5 Gbit/s)\n  by kind, "), printed());
    assertTrue(printed().contains("chosen for a peer on another host: wire (2.5 Gbit/s)\n  not local: its reach is host, and network is "
      + "required\n"), printed());
  }

  @Test
  void saysWhatIsLeftForPeersThatHaveNothingElse() {
    Provider spare = new Provider() {
      @Override
      public String name() {
        return "spare";
      }

      @Override
      public boolean isFallback(DiscoveryOptions options) {
        return true;
      }

      @Override
      public Discovery discover(DiscoveryOptions options) {
        return new Discovery(List.of(wire), List.of());
      }
    };
    assertEquals(0, info(List.of(provider(List.of(local)), spare)));
    assertTrue(
      printed().contains("used only if an option names it, or a peer has no other fabric (this machine has no adapter for spare): wire\n"),
      printed());
  }

  @Test
  void showsTheStrategiesThatFollowFromCapabilities() {
    info(List.of(provider(List.of(wire, local))));
    assertTrue(printed().contains("notified write    write and message in one post list"), printed());
    assertTrue(printed().contains("notified write    delivery-complete write, its completion, then the message"), printed());
    assertTrue(printed().contains("waiting           polling with pauses"), printed());
    assertTrue(printed().contains("atomics           by the owner\n"), printed());
    assertTrue(printed().contains("atomics           by the device"), printed());
  }

  @Test
  void aDeviceThatDoesNotOpenIsShownWithItsFailureAndNotChosen() {
    Device broken = new StubDevice("broken", EndpointType.MSG, Device.Reach.NETWORK, Device.Preference.RDMA_HARDWARE, ORDERED, () -> {
      throw new ProviderException(ProviderException.Reason.PERMISSION, 13, "broken: /dev/infiniband/uverbs0: permission denied");
    });
    assertEquals(1, info(List.of(provider(List.of(broken)))));
    assertTrue(printed().contains("does not open     broken: /dev/infiniband/uverbs0: permission denied"), printed());
    assertTrue(printed().contains("chosen for a peer on another host: nothing"), printed());
  }

  @Test
  void failedSelfTestIsReportedAndItsCapabilityDoesNotCount() {
    Device liar = new StubDevice("liar", EndpointType.RDM, Device.Reach.NETWORK, Device.Preference.RDM, DELIVERS,
      () -> DELIVERS.toBuilder().remove(Operation.READ, Operation.FETCH_ADD, Operation.COMPARE_SWAP).build());
    assertEquals(0, info(List.of(provider(List.of(liar)))));
    assertTrue(printed().contains("failed self-test  read, fetch add, compare swap"), printed());
    assertTrue(printed().contains("not liar: it does not support read"), printed());
  }

  @Test
  void missingFabricsAreListedWithReasonAndRemedy() {
    info(List.of(provider(List.of(wire), new Discovery.Unavailable("libx", "not found", "apt-get install libx1"))));
    assertTrue(printed().contains("not available\n  stub: libx: not found — apt-get install libx1\n"), printed());
  }

  @Test
  void aProviderThatThrowsIsReportedNotFatal() {
    Provider bad = new Provider() {
      @Override
      public String name() {
        return "bad";
      }

      @Override
      public Discovery discover(DiscoveryOptions options) {
        throw new IllegalStateException("no such table");
      }
    };
    assertEquals(0, info(List.of(bad, provider(List.of(wire)))));
    assertTrue(printed().contains("\n  bad: no such table\n"), printed());
  }

  @Test
  void jsonHoldsTheSame() {
    assertEquals(0, info(List.of(provider(List.of(wire, local), new Discovery.Unavailable("libx", "not found", "get it"))), "--json"));
    JsonObject json = new JsonObject(printed());
    JsonObject found = json.getJsonArray("providers").getJsonObject(0);
    assertEquals("stub", found.getString("name"));
    assertEquals("get it", found.getJsonArray("unavailable").getJsonObject(0).getString("remedy"));
    JsonObject first = found.getJsonArray("devices").getJsonObject(0);
    assertEquals("MSG", first.getString("endpointType"));
    assertEquals("FD", first.getJsonObject("capabilities").getString("waiting"));
    assertEquals(4 << 20, first.getJsonObject("limits").getInteger("maxMessageSize"));
    assertEquals("write and message in one post list", first.getJsonObject("strategies").getString("notified write"));
    assertEquals(4064, first.getJsonObject("messagePaths").getInteger("inline"));
    assertEquals(new JsonArray().add("local").add("wire"), json.getJsonArray("selections").getJsonObject(0).getJsonArray("ranked"));
  }

  @Test
  void everyOperationIsShownInTheOrderOfTheContract() {
    Capabilities all = DELIVERS.toBuilder().add(Operation.values()).immediateBits(32).immediateConsumesReceive(true).build();
    Device full = new StubDevice("full", EndpointType.MSG, Device.Reach.NETWORK, Device.Preference.MSG, all, () -> all);
    info(List.of(provider(List.of(full))));
    assertTrue(printed().contains("send, receive, write, read, send immediate, write immediate, fetch add, compare swap, remote write; "
      + "32-bit immediates that consume a receive"), printed());
    assertFalse(printed().contains("failed self-test"));
  }

  @Test
  void theProtocolTableHasNoGapBetweenThePaths() {
    assertEquals(0, info(List.of(provider(List.of(wire))), "--protocol"));
    assertTrue(printed().contains("wire    0-4064  4065-16352  16353-67108864  from 67108865\n"), printed());
  }
}
