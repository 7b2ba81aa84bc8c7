package io.github.vertxrdma.directory;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.peers.EntryJson;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Address at which a node listens on a fabric.
 *
 * @param fabric {@link Device#fabric()}; nodes connect over fabrics of equal name if {@code reach} and {@code subnet} permit it
 * @param device {@link Device#name()} at the listening node
 * @param loop index of the listening event loop, from 0
 * @param subnet {@link Device#subnet()} that both ends must share; empty if routing decides
 */
public record FabricAddress(String fabric, String device, int loop, EndpointAddress address, Device.Reach reach, String subnet) {

  public FabricAddress {
    EntryJson.name("fabric", fabric);
    EntryJson.checkText("device", device);
    EntryJson.checkText("address", address.toString());
    Objects.requireNonNull(reach, "reach");
    EntryJson.checkText("subnet", subnet);
  }

  public static FabricAddress of(Device device, int loop, EndpointAddress address) {
    return new FabricAddress(device.fabric(), device.name(), loop, address, device.reach(), device.subnet());
  }

  /** Returns the address once for each of {@link Device#subnets}, since earlier versions compare one. */
  public static List<FabricAddress> all(Device device, int loop, EndpointAddress address) {
    return device.subnets().stream()
      .map(subnet -> new FabricAddress(device.fabric(), device.name(), loop, address, device.reach(), subnet)).toList();
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject().put("fabric", fabric).put("device", device).put("loop", loop)
      .put("reach", reach.name().toLowerCase(Locale.ROOT)).put("subnet", subnet);
    switch (address.format()) {
      case EndpointAddress.INET, EndpointAddress.STRING -> json.put("format", address.format()).put("address", address.toString());
      default -> json.put("format", address.format()).put("address", address.bytes());
    }
    return json;
  }

  /**
   * Decodes the JSON of {@link #toJson}. Defaults: {@code device} = the fabric, {@code loop} = 0, {@code reach} = network, {@code format} =
   * inet, {@code subnet} = empty.
   */
  public static FabricAddress fromJson(JsonObject json) {
    String fabric = EntryJson.required(json, "fabric");
    return new FabricAddress(fabric, json.getString("device", fabric), json.getInteger("loop", 0),
      address(json.getString("format", EndpointAddress.INET), json),
      Device.Reach.valueOf(json.getString("reach", "network").toUpperCase(Locale.ROOT)), json.getString("subnet", ""));
  }

  void write(Cursor out) {
    out.text(4, fabric).text(4, device).i32(loop).text(4, address.format()).block(4, address.bytes()).u8(reach.ordinal()).text(4, subnet);
  }

  static FabricAddress read(Cursor in) {
    return new FabricAddress(in.text(4).intern(), in.text(4).intern(), in.i32(), EndpointAddress.of(in.text(4).intern(), in.block(4)),
      Device.Reach.values()[in.u8()], in.text(4).intern());
  }

  private static EndpointAddress address(String format, JsonObject json) {
    return switch (format) {
      case EndpointAddress.INET -> inet(EntryJson.required(json, "address"));
      case EndpointAddress.STRING -> EndpointAddress.of(EntryJson.required(json, "address"));
      default -> EndpointAddress.of(format, json.getBinary("address"));
    };
  }

  /** Parses a numeric address. Host names are refused, since resolving them blocks. */
  private static EndpointAddress inet(String text) {
    int colon = text.lastIndexOf(':');
    try {
      String host = text.substring(0, Math.max(colon, 0)).replaceAll("^\\[|]$", "");
      return EndpointAddress.of(new InetSocketAddress(InetAddress.ofLiteral(host), Integer.parseInt(text.substring(colon + 1))));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("invalid fabric address '" + PeerText.of(text) + "': write it as 10.0.0.1:7000 or [fe80::1]:7000, "
        + "without host names");
    }
  }
}
