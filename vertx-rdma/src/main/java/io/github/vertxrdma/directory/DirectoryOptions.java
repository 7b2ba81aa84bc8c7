package io.github.vertxrdma.directory;

import io.github.vertxrdma.Bounds;
import io.github.vertxrdma.JsonKeys;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Which directory a node uses, and how it is set up. */
@DataObject
@JsonGen(publicConverter = false)
public class DirectoryOptions {
  /**
   * The first factory that applies to the Vert.x instance, which is clustered; {@link #SAME_HOST} if it is clustered by a manager without a
   * directory, or not clustered.
   */
  public static final String AUTO = "auto";
  /** Known {@linkplain #getPeers peers} and {@linkplain #getEntries entries} only. */
  public static final String STATIC = "static";
  /** The processes of one user on one host, without any server. */
  public static final String SAME_HOST = "same-host";

  /** Default of {@link #getType}. */
  public static final String DEFAULT_TYPE = AUTO;
  /** Default of {@link #getGroup} in a cluster, and in a folder of its own. */
  public static final String DEFAULT_GROUP = "default";
  /** Default of {@link #getPollInterval}. */
  public static final Duration DEFAULT_POLL_INTERVAL = Duration.ofMillis(100);
  /** Default of {@link #getLeaseTime}. */
  public static final Duration DEFAULT_LEASE_TIME = Duration.ofSeconds(30);

  private String type = DEFAULT_TYPE;
  private String nodeId;
  private String group;
  private String path;
  private Duration pollInterval = DEFAULT_POLL_INTERVAL;
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

  /** {@link #AUTO}, {@link #STATIC}, {@link #SAME_HOST}, or the name of a {@link DirectoryBackendFactory}. */
  public String getType() {
    return type;
  }

  public DirectoryOptions setType(String type) {
    this.type = Objects.requireNonNull(type);
    return this;
  }

  /**
   * This node's id; null for the cluster's own, or a random one where there is no cluster. Where this process has another directory open in
   * the same cluster, or in the same folder, under that id, this one gets a number behind it: {@code ID.2}.
   */
  public String getNodeId() {
    return nodeId;
  }

  public DirectoryOptions setNodeId(String nodeId) {
    this.nodeId = nodeId;
    return this;
  }

  /**
   * Nodes of different groups do not see each other: letters, digits, {@code . _ -}. Null for {@code default} in a cluster and in a
   * {@linkplain #getPath folder} of its own; in the user's folder for the name of the main class, or of the jar without its version:
   * processes of one application find each other.
   */
  public String getGroup() {
    return group;
  }

  public DirectoryOptions setGroup(String group) {
    if (group != null && !group.matches("[A-Za-z0-9._-]{1,64}") || group != null && group.startsWith(".")) {
      throw new IllegalArgumentException("directory group '" + group + "': use 1 to 64 letters, digits, '.', '_' or '-', no '.' first");
    }
    this.group = group;
    return this;
  }

  /**
   * Folder of the same-host directory, which belongs to the user with mode 0700; null for the user's runtime folder. The others refuse it.
   */
  public String getPath() {
    return path;
  }

  public DirectoryOptions setPath(String path) {
    this.path = path;
    return this;
  }

  /** Time between two looks of the same-host directory for changes and for dead processes. */
  public Duration getPollInterval() {
    return pollInterval;
  }

  public DirectoryOptions setPollInterval(Duration pollInterval) {
    this.pollInterval = Bounds.atLeast("pollInterval", pollInterval, 10);
    return this;
  }

  /**
   * Time by which an entry of a clustered directory outlives the last sign of its owner, if no event reports the owner's end. The owner
   * renews it three times as often. Entries of members of the cluster stay two minutes longer, since a member may be stopped.
   */
  public Duration getLeaseTime() {
    return leaseTime;
  }

  public DirectoryOptions setLeaseTime(Duration leaseTime) {
    this.leaseTime = Bounds.atLeast("leaseTime", leaseTime, 1000);
    return this;
  }

  /**
   * Control addresses of nodes, {@code 10.0.0.1:7000}, that this one gets acquainted with. Both then know of each other's services and
   * regions. With the same-host directory they are known beside the processes of this host, with the static one alone. The one in Hazelcast
   * refuses them, and entries.
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

  /** Settings of a directory's own; the type that is named says which there are. The same-host directory and the static one refuse any. */
  public JsonObject getSettings() {
    return settings;
  }

  public DirectoryOptions setSettings(JsonObject settings) {
    this.settings = Objects.requireNonNull(settings);
    return this;
  }

  /**
   * Entries that are known from the start, beside those of the peers and of this host: {@link NodeEntry}, {@link ServiceEntry} and
   * {@link RegionEntry} as JSON.
   */
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
