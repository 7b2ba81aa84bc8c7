package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Requirements;
import io.github.vertxrdma.provider.Selection;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
@ExtendWith({LeakCheck.class, UserSpace.class})
class RoceTest {
  private static final String PORTS = "roce-multiport";
  private static final String OTHER = "mlx5";

  @BeforeEach
  void devices() {
    Nic.use(PORTS);
  }

  @AfterEach
  void restore() {
    List.of(PORTS, OTHER, Nic.DEFAULT).forEach(Nic.built()::restore);
  }

  private static VerbsDevice device(String name) {
    return (VerbsDevice) Devices.require(new VerbsProvider(), "verbs:" + name);
  }

  private static void talk(Pair pair) {
    pair.success(pair.a, pair.a.send(pair.left(), new byte[] {1, 2}, PostFlags.SIGNALED));
    assertEquals(2, pair.message(pair.b).data().length);
  }

  private static Gid gid(int index, String entry) {
    String[] parts = entry.split("/");
    byte[] bytes = HexFormat.of().parseHex(parts[1]);
    byte[] all = new byte[16];
    if (bytes.length == 4) {
      all[10] = all[11] = -1;
      System.arraycopy(bytes, 0, all, 12, 4);
    } else {
      System.arraycopy(bytes, 0, all, 0, bytes.length);
    }
    return new Gid(index, Integer.parseInt(parts[0]), all);
  }

  @ParameterizedTest
  @CsvSource({"v2 before v1, 1/7f000001 2/7f000001, , 1", "the address before the version, 2/fd00 1/0a000001, 0a000001, 1",
    "of the address v2, 1/0a000001 2/0a000001 2/0b000001, 0a000001, 1",
    "of an address of IPv6, 2/0a000001 2/fd000009000100000000000000000001, fd000009000100000000000000000001, 1",
    "own before foreign ones, 2/c6336401 1/c6336401 1/7f000001, , 2",
    "link-local before foreign ones, 2/c6336401 2/fe80, , 1", "IPv4 before link-local, 2/fe80 2/7f000001, , 1",
    "a foreign one if there is no other, 2/c6336401, , 0", "the first of InfiniBand, 0/fe80 0/fec0, , 0"})
  void gidIs(String name, String table, String address, int index) throws Exception {
    String[] entries = table.split(" ");
    List<Gid> gids = java.util.stream.IntStream.range(0, entries.length).mapToObj(i -> gid(i, entries[i])).toList();
    InetAddress wanted = address == null ? null : InetAddress.getByAddress(HexFormat.of().parseHex(address));
    assertEquals(index, Gid.choose(gids, wanted).index(), name);
    assertNull(Gid.choose(List.of(), wanted));
  }

  @Test
  void gidIsReadWhenAConnectionIsMade() {
    Nic.use(Nic.DEFAULT);
    device(Nic.DEFAULT);
    Nic.built().change(Nic.DEFAULT, "gids", "mixed");
    VerbsDevice found = device(Nic.DEFAULT);
    try (Pair pair = Pair.open(found, new PairOptions())) {
      pair.exchange();
      Nic.built().change(Nic.DEFAULT, "gids", "simple");
      pair.exchange();
      talk(pair);
    }
  }

  @Test
  void portWithASmallerMtuThanTheConnectingOneRefusesByName() {
    Nic.use(Nic.DEFAULT);
    try (Pair pair = Pair.open(device(Nic.DEFAULT), new PairOptions())) {
      Listener listener = pair.b.listen(null, request -> {
        Nic.built().change(Nic.DEFAULT, "mtu", "1024");
        pair.b.accept(request);
      });
      pair.a.createEndpoint().connect(listener.localAddress(), new byte[0]);
      pair.until("the accepting end fails", () -> !pair.b.disconnected.isEmpty());
      pair.b.endpoint.close();
      pair.until("the connecting end fails", () -> !pair.a.disconnected.isEmpty());
      String why = pair.b.cause.getMessage();
      assertTrue(why.contains("the peer's port is 4096 bytes, and that of this port 1024"), why);
      assertEquals(ProviderException.Reason.REJECTED, pair.a.cause.reason(), pair.a.cause::toString);
    } finally {
      Nic.built().restore(Nic.DEFAULT);
    }
  }

  @Test
  void deviceIsThePortThatHasTheAddress() {
    VerbsDevice found = device(PORTS);
    assertEquals(2, found.port.number());
    assertEquals(GID_TYPE_NAME, found.gid.typeName());
    assertTrue(found.addresses.stream().noneMatch(a -> a instanceof Inet6Address && a.isLinkLocalAddress()), found::toString);
    try (Pair pair = Pair.connected(found)) {
      talk(pair);
      pair.exchange();
      talk(pair);
    }
  }

  private static final String GID_TYPE_NAME = "RoCE v2";

  @Test
  void portWithoutAddressIsRefusedAndNamed() {
    Discovery found = new VerbsProvider().discover(new DiscoveryOptions());
    assertTrue(found.unavailable().toString().contains("verbs:" + PORTS + ":1: no IP address"), found.unavailable()::toString);
  }

  @Test
  void otherPortIsOfferedWithItsNumberIfItIsNamed() {
    Discovery found = new VerbsProvider().discover(new DiscoveryOptions(null, Map.of("verbs.device", PORTS)));
    assertEquals(List.of("verbs:" + PORTS, "verbs:" + PORTS + ":1"), found.devices().stream().map(Device::name).toList());
    try (Pair pair = Pair.open(found.devices().getLast(), new PairOptions())) {
      pair.exchange();
      talk(pair);
    }
  }

  @Test
  void portThatIsDownLeavesTheOther() {
    Nic.built().change(PORTS, "ports-down", "0x2");
    Discovery found = new VerbsProvider().discover(new DiscoveryOptions(null, Map.of("verbs.device", PORTS)));
    assertEquals(List.of("verbs:" + PORTS), found.devices().stream().map(Device::name).toList());
    assertTrue(found.unavailable().toString().contains("port 1 is DOWN"), found.unavailable()::toString);
  }

  @Test
  void deviceWithALinkLocalAddressAloneIsRefused() {
    Nic.use(Nic.DEFAULT);
    Nic.built().change(Nic.DEFAULT, "addresses", "link-local");
    Discovery found = new VerbsProvider().discover(new DiscoveryOptions());
    assertEquals(List.of(), found.devices());
    assertTrue(found.unavailable().toString().contains("no IP address"), found.unavailable()::toString);
  }

  private static List<String> ranked(InetAddress host) {
    return Selection.of(Requirements.BASIC, new VerbsProvider().discover(new DiscoveryOptions(host, Map.of())).devices()).ranked().stream()
      .map(Device::name).toList();
  }

  private static InetAddress address(VerbsDevice device, Class<? extends InetAddress> family) {
    InetAddress found = device.addresses.stream().filter(family::isInstance).findFirst().orElse(null);
    assumeTrue(found != null, () -> "this host has no address of each family: " + device.addresses);
    return found;
  }

  @Test
  void deviceOfTheRequestedAddressComesFirstThenTheFastest() {
    Nic.use(Nic.DEFAULT, OTHER);
    InetAddress four = address(device(Nic.DEFAULT), Inet4Address.class);
    InetAddress six = address(device(Nic.DEFAULT), Inet6Address.class);
    Nic.built().change(Nic.DEFAULT, "addresses", "ipv4");
    Nic.built().change(OTHER, "addresses", "ipv6");
    assertEquals(List.of("verbs:mlx5", "verbs:nic"), ranked(null));
    Nic.built().change(Nic.DEFAULT, "speed", "400");
    assertEquals(List.of("verbs:nic", "verbs:mlx5"), ranked(null));
    assertEquals(400_000_000_000L, device(Nic.DEFAULT).speed());
    assertEquals(List.of("verbs:mlx5", "verbs:nic"), ranked(six));
    assertEquals(List.of("verbs:nic", "verbs:mlx5"), ranked(four));
  }

  @Test
  void addressesOfTheInterfacesSubnetAreNear() throws Exception {
    VerbsDevice found = device(PORTS);
    InetAddress own = address(found, Inet4Address.class);
    byte[] near = own.getAddress();
    near[3] ^= 1;
    assertTrue(found.isOnSubnet(EndpointAddress.of(new InetSocketAddress(InetAddress.getByAddress(near), 1))));
    assertFalse(found.isOnSubnet(EndpointAddress.of(new InetSocketAddress(InetAddress.getByName("203.0.113.9"), 1))));
    assertFalse(found.isOnSubnet(EndpointAddress.of("elsewhere")));
    assertEquals("", found.subnet(), "RoCE v2 is routed");
  }

  @Test
  void subnetOfRoceV1IsTheIpPrefix() {
    VerbsDevice found = device(PORTS);
    int v1 = found.gid.index() - 1;
    VerbsDevice old = (VerbsDevice) Devices.require(List.of(new VerbsProvider()), "verbs:" + PORTS,
      Map.of("verbs.gid-index", Integer.toString(v1)));
    assertEquals("verbs-rocev1", old.fabric());
    assertTrue(old.subnet().contains("/"), old::subnet);
  }
}
