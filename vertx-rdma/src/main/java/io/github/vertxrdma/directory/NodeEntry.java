package io.github.vertxrdma.directory;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.impl.peers.EntryJson;
import io.github.vertxrdma.impl.peers.ProductVersion;
import io.github.vertxrdma.impl.process.NodeName;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;

/**
 * Node: one Vert.x instance with vertx-rdma.
 *
 * @param nodeId id of the cluster manager if there is one
 * @param epoch random at each start and rejoin; 0 for a configured peer, which sends it in the handshake
 * @param controlHost host of the TCP address for connections between nodes; may be empty
 * @param controlPort port of that address, or 0
 * @param secretId identifiers of the cluster secrets that the node accepts, separated by blanks; first the one that the node proves. They
 * do not reveal the secrets. Empty if unknown
 * @param addresses one per fabric and event loop
 * @param name for people, not unique; empty for old versions
 */
public record NodeEntry(String nodeId, long epoch, ProcessIdentity process, String controlHost, int controlPort, String version,
  String secretId, List<FabricAddress> addresses, String name) implements DirectoryEntry {
  static final String KIND = "node";
  static final int CODE = 1;
  /** Versions of the byte encoding of all entries. */
  static final VersionRange FORMATS = new VersionRange(3, 3);

  public NodeEntry {
    EntryJson.name("node id", nodeId);
    Objects.requireNonNull(process, "process");
    EntryJson.checkText("controlHost", controlHost);
    EntryJson.checkText("version", version);
    EntryJson.checkText("secretId", secretId);
    addresses = List.copyOf(addresses);
    if (!name.isEmpty()) {
      EntryJson.name("node", name);
    }
    if (controlPort < 0 || controlPort > 65535) {
      throw new IllegalArgumentException("invalid control port " + controlPort + " of node '" + nodeId + "': use 0 to 65535");
    }
  }

  /** Returns a node of this process without addresses. */
  public static NodeEntry local(String nodeId, long epoch) {
    return new NodeEntry(nodeId, epoch, ProcessIdentity.current(), "", 0, ProductVersion.CURRENT, "", List.of(), "");
  }

  public NodeEntry withEpoch(long newEpoch) {
    return new NodeEntry(nodeId, newEpoch, process, controlHost, controlPort, version, secretId, addresses, name);
  }

  public NodeEntry withControl(String host, int port) {
    return new NodeEntry(nodeId, epoch, process, host, port, version, secretId, addresses, name);
  }

  public NodeEntry withProcess(ProcessIdentity identity) {
    return new NodeEntry(nodeId, epoch, identity, controlHost, controlPort, version, secretId, addresses, name);
  }

  public NodeEntry withSecretId(String id) {
    return new NodeEntry(nodeId, epoch, process, controlHost, controlPort, version, id, addresses, name);
  }

  public NodeEntry withAddresses(List<FabricAddress> list) {
    return new NodeEntry(nodeId, epoch, process, controlHost, controlPort, version, secretId, list, name);
  }

  public NodeEntry withName(String newName) {
    return new NodeEntry(nodeId, epoch, process, controlHost, controlPort, version, secretId, addresses, newName);
  }

  /** Returns a text for messages: the name and the beginning of the id, or the id if there is no name. */
  public String words() {
    return NodeName.words(name, nodeId);
  }

  /**
   * Returns whether each of the two nodes accepts the secret that the other node proves. Also true if the secret of one node is unknown.
   */
  public boolean sharesSecret(NodeEntry other) {
    List<String> accepted = List.of(secretId.split(" "));
    List<String> others = List.of(other.secretId.split(" "));
    return secretId.isEmpty() || other.secretId.isEmpty()
      || accepted.contains(others.getFirst()) && others.contains(accepted.getFirst());
  }

  @Override
  public String key() {
    return "n/" + nodeId;
  }

  @Override
  public JsonObject toJson() {
    return new JsonObject().put("kind", KIND).put("node", nodeId).put("epoch", Long.toHexString(epoch)).put("process", process.toJson())
      .put("controlHost", controlHost).put("controlPort", controlPort).put("version", version).put("secretId", secretId)
      .put("addresses", EntryJson.array(addresses, FabricAddress::toJson)).put("name", name);
  }

  /**
   * Decodes the JSON of {@link #toJson}. Only {@code node} is required. A configured peer is {@code
   * {"kind":"node","node":"a","controlHost":"10.0.0.1","controlPort":7000,"addresses":[{"fabric":"tcp","address":"10.0.0.1:7001"}]}}.
   */
  public static NodeEntry fromJson(JsonObject json) {
    return new NodeEntry(EntryJson.required(json, "node"), EntryJson.hex(json, "epoch"),
      ProcessIdentity.fromJson(json.getJsonObject("process", new JsonObject())), json.getString("controlHost", ""),
      json.getInteger("controlPort", 0), json.getString("version", ""), json.getString("secretId", ""),
      EntryJson.list(json, "addresses", FabricAddress::fromJson), json.getString("name", ""));
  }

  void write(Cursor out) {
    out.text(4, nodeId).i64(epoch);
    process.write(out);
    out.text(4, controlHost).i32(controlPort).text(4, version).text(4, secretId).list(4, addresses, FabricAddress::write);
    // Empty last fields are omitted, as in entries of earlier versions.
    if (!name.isEmpty() || !process.folder().isEmpty()) {
      out.text(4, name);
    }
    if (!process.folder().isEmpty()) {
      // Earlier versions know one folder, and ignore the second field.
      for (String folder : process.folder().split(" ", 2)) {
        out.text(4, folder);
      }
    }
  }

  static NodeEntry read(Cursor in) {
    NodeEntry read = new NodeEntry(in.text(4).intern(), in.i64(), ProcessIdentity.read(in), in.text(4), in.i32(), in.text(4).intern(),
      in.text(4).intern(), in.list(4, FabricAddress::read), in.remaining() == 0 ? "" : in.text(4));
    if (in.remaining() == 0) {
      return read;
    }
    String folder = in.text(4);
    String second = in.remaining() == 0 ? "" : in.text(4);
    return read.withProcess(read.process.withFolder((second.isEmpty() ? folder : folder + ' ' + second).intern()));
  }
}
