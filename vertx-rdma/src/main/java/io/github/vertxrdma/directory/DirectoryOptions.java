package io.github.vertxrdma.directory;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Options of a node's directory. */
@DataObject
@JsonGen(publicConverter = false)
public class DirectoryOptions {
  /** Type that selects the first {@link DirectoryBackendFactory} that applies to the Vert.x, otherwise {@link #SAME_HOST}. */
  public static final String AUTO = "auto";
  /** Type of a directory that contains only the {@linkplain #getPeers peers} and {@linkplain #getEntries entries} of the options. */
  public static final String STATIC = "static";
  /** Type of a directory of the processes of one user on one host. Needs no server. */
  public static final String SAME_HOST = "same-host";

  public static final String DEFAULT_TYPE = AUTO;
  /** Default of {@link #getGroup} in a cluster, and with {@link #getPath}. */
  public static final String DEFAULT_GROUP = "default";
  public static final Duration DEFAULT_LEASE_TIME = Duration.ofSeconds(30);

  private String type = DEFAULT_TYPE;
  private String nodeId;
  private String group;
  private String path;
  private Duration leaseTime = DEFAULT_LEASE_TIME;
  private List<JsonObject> entries = new ArrayList<>();
  private List<String> peers = new ArrayList<>();
  private JsonObject settings = new JsonObject();

  public DirectoryOptions() {
  }

  public DirectoryOptions(DirectoryOptions other) {
    this(other.toJson());
  }

  public DirectoryOptions(JsonObject json) {
    DirectoryOptionsConverter.fromJson(JsonKeys.known(DirectoryOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    DirectoryOptionsConverter.toJson(this, json);
    return json;
  }

  /** {@link #AUTO}, {@link #STATIC}, {@link #SAME_HOST}, or the type of a {@link DirectoryBackendFactory}. */
  public String getType() {
    return type;
  }

  public DirectoryOptions setType(String type) {
    this.type = Objects.requireNonNull(type);
    return this;
  }

  /**
   * Id of this node. If null, the cluster manager's node id is used, or without a cluster a random id. If another directory of this process
   * has the id, a number is appended: {@code ID.2}.
   */
  public String getNodeId() {
    return nodeId;
  }

  public DirectoryOptions setNodeId(String nodeId) {
    this.nodeId = nodeId;
    return this;
  }

  /**
   * Group of nodes, which do not see nodes of other groups: 1 to 64 characters A-Z, a-z, 0-9 and {@code . _ -}. If null, the group is
   * {@code default} in a cluster or with a {@link #getPath path}. Otherwise it is the name of the main class, which for a jar is in its
   * manifest.
   */
  public String getGroup() {
    return group;
  }

  public DirectoryOptions setGroup(String group) {
    if (group != null && !group.matches("[A-Za-z0-9._-]{1,64}") || group != null && group.startsWith(".")) {
      throw new IllegalArgumentException(
        "invalid directory group '" + group + "': use 1 to 64 characters of A to Z, a to z, 0 to 9, '.', '_' and '-', and do not "
          + "begin with '.'");
    }
    this.group = group;
    return this;
  }

  /** Folder of the same-host directory, owned by the user with mode 0700; null for the runtime folders. Other types reject this option. */
  public String getPath() {
    return path;
  }

  public DirectoryOptions setPath(String path) {
    this.path = path;
    return this;
  }

  /**
   * Time for which an entry of a clustered directory outlives its owner if no event reports the owner's end, at least 1 s. Entries of
   * cluster members stay two minutes longer.
   */
  public Duration getLeaseTime() {
    return leaseTime;
  }

  public DirectoryOptions setLeaseTime(Duration leaseTime) {
    this.leaseTime = Bounds.atLeast("leaseTime", leaseTime, 1000);
    return this;
  }

  /**
   * Addresses of nodes, such as {@code 10.0.0.1:7000}, with which this node exchanges services and regions. The same-host directory also
   * contains the processes of this host; the static directory does not. The Hazelcast directory rejects {@code peers} and {@code entries}.
   */
  public List<String> getPeers() {
    return peers;
  }

  public DirectoryOptions setPeers(List<String> peers) {
    this.peers = Objects.requireNonNull(peers);
    return this;
  }

  public DirectoryOptions addPeer(String address) {
    peers.add(address);
    return this;
  }

  /**
   * Settings of the directory type. A Hazelcast client has {@code members} and {@code cluster}, or {@code clientConfig}. The same-host and
   * the static directory have none.
   */
  public JsonObject getSettings() {
    return settings;
  }

  public DirectoryOptions setSettings(JsonObject settings) {
    this.settings = Objects.requireNonNull(settings);
    return this;
  }

  /** Additional entries that are present from the start: {@link NodeEntry}, {@link ServiceEntry} and {@link RegionEntry} as JSON. */
  public List<JsonObject> getEntries() {
    return entries;
  }

  public DirectoryOptions setEntries(List<JsonObject> entries) {
    this.entries = Objects.requireNonNull(entries);
    return this;
  }

  public DirectoryOptions addEntry(DirectoryEntry entry) {
    entries.add(entry.toJson());
    return this;
  }
}
