package io.github.vertxrdma.hostile;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.SealedKey;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.ConnectAccept;
import io.github.vertxrdma.impl.link.ConnectRequest;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.LinkVersions;
import io.github.vertxrdma.impl.node.ConnectionProofs;
import io.github.vertxrdma.impl.node.EndDescription;
import io.github.vertxrdma.impl.peers.Hello;
import io.github.vertxrdma.impl.peers.Join;
import io.github.vertxrdma.impl.region.RegionDescription;
import io.github.vertxrdma.impl.region.RegionToken;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * One value of each kind of bytes that nodes exchange, with every field set.
 *
 * @param parser parser whose corpus records it
 * @param name of the input there
 * @param bytes encoding of this version
 */
record Sample(String parser, String version, String name, Object value, byte[] bytes, Function<byte[], Object> decoder) {
  static final String LINK = "link-6";
  static final String CONTROL = "control-3";
  static final String ENTRY = "format-3";
  static final String FORMAT = "format-2";

  static final NodeEntry NODE = new NodeEntry("node-a", 0x0102030405060708L,
    new ProcessIdentity(11, 12, 1000, 77, 0x99, "host-a"),
    "10.0.0.1", 7000, "0.1.0", "0011223344556677", List.of(
      new FabricAddress("tcp", "eth0", 1, EndpointAddress.of(EndpointAddress.INET, new byte[] {0x1b, 0x59, 10, 0, 0, 1}),
        Device.Reach.NETWORK, ""),
      new FabricAddress("shm", "shm", 0, EndpointAddress.of("name"), Device.Reach.HOST, "here")),
    "");
  static final ServiceEntry ENDPOINT = new ServiceEntry("orders", "node-a", 5, 3, NODE.addresses(), new JsonObject().put("cores", 4)
    .put("labels", List.of("a", "b")));
  static final RegionEntry REGION = new RegionEntry("table", "node-a", 5, 0x55, 1L << 30, Set.of(RegionAccess.READ, RegionAccess.ATOMIC), 7,
    RegionEntry.OWNER, List.of(new SealedKey("tcp", bytes(60))));

  static List<Sample> all() {
    List<Sample> all = new ArrayList<>();
    ConnectRequest request = new ConnectRequest(LinkVersions.SPOKEN, ConnectRequest.ADDRESS_BOUND, 0x1112131415161718L, 5, 6, bytes(16));
    all.add(new Sample("connect-request", LINK, "request", request, request.encode(), ConnectRequest::decode));
    ConnectAccept accept = new ConnectAccept(6, 5, 6, bytes(16), bytes(16));
    all.add(new Sample("connect-accept", LINK, "accept", accept, accept.encode(), ConnectAccept::decode));
    Greeting hello = new Greeting(bytes(64), "node-a", 5, "10.0.0.1", 7000, "endpoint/orders", 16_384, 32, 16, 64 << 20, bytes(20),
      bytes(9),
      "tcp:eth0");
    Greeting welcome = new Greeting(new byte[0], "node-b", 9, "", 0, "", 4096, 1, 4, 1, new byte[0], new byte[0], "tcp:eth1");
    all.add(new Sample("greeting", LINK, "hello", hello, hello.encode(), Greeting::decode));
    all.add(new Sample("greeting", LINK, "welcome", welcome, welcome.encode(), Greeting::decode));
    RegionToken token = new RegionToken(0x7f00_0000_1000L, 1L << 20, bytes(8));
    RegionDescription description = new RegionDescription(0x77, "table", 1L << 20, EnumSet.of(RegionAccess.READ, RegionAccess.WRITE),
      "owner", 3, token);
    all.add(new Sample("region-token", LINK, "token", token, token.encode(), RegionToken::decode));
    all.add(new Sample("region-description", LINK, "whole", description, description.encode(), RegionDescription::decode));
    EndDescription end = new EndDescription("tcp", "node-a", EndpointAddress.of("qp", bytes(24)));
    all.add(new Sample("end-description", FORMAT, "end", end, end.encode(), EndDescription::decode));
    Hello controlHello = new Hello(new VersionRange(2, 3), bytes(16));
    all.add(new Sample("control-hello", CONTROL, "hello", controlHello, controlHello.payload().getBytes(),
      bytes -> Hello.read(Buffer.buffer(bytes))));
    Join join = new Join(7, true, 5, "node-a", NODE);
    all.add(new Sample("control-join", CONTROL, "join", join, join.payload().getBytes(), bytes -> Join.read(Buffer.buffer(bytes))));
    ConnectionProofs.Question question = new ConnectionProofs.Question(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 50_123),
      new InetSocketAddress(InetAddress.ofLiteral("fd00::2"), 8080), 256, 32, bytes(16), bytes(32));
    all.add(new Sample("connection-question", CONTROL, "question", HexFormat.of().formatHex(question.encode()), question.encode(),
      bytes -> HexFormat.of().formatHex(ConnectionProofs.Question.read(bytes).encode())));
    entry(all, "node", NODE);
    entry(all, "endpoint", ENDPOINT);
    entry(all, "region", REGION);
    return all;
  }

  private static void entry(List<Sample> all, String name, DirectoryEntry entry) {
    all.add(new Sample("directory-entry", ENTRY, name, entry, entry.toBuffer().getBytes(),
      bytes -> DirectoryEntry.fromBuffer(Buffer.buffer(bytes))));
  }

  static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i + 1);
    }
    return bytes;
  }
}
