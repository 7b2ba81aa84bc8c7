package io.github.vertxrdma;

import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Memory to be made and shared. */
@DataObject
@JsonGen(publicConverter = false)
public class RegionOptions {
  private String name = "";
  private long size;
  private String file;
  private Set<RegionAccess> access = EnumSet.noneOf(RegionAccess.class);
  private List<String> fabrics = new ArrayList<>();
  private boolean ownerAtomics;

  public RegionOptions() {
  }

  public RegionOptions(RegionOptions other) {
    this(other.toJson());
  }

  public RegionOptions(JsonObject json) {
    RegionOptionsConverter.fromJson(JsonKeys.known(RegionOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RegionOptionsConverter.toJson(this, json);
    return json;
  }

  /** The name that others open it by, one region of the whole directory; empty for memory that is only granted to peers or used locally. */
  public String getName() {
    return name;
  }

  public RegionOptions setName(String name) {
    this.name = Objects.requireNonNull(name);
    return this;
  }

  /** Bytes; 0 for the size of the {@link #getFile file}. */
  public long getSize() {
    return size;
  }

  public RegionOptions setSize(long size) {
    if (size < 0) {
      throw new IllegalArgumentException("a region of " + size + " bytes");
    }
    this.size = size;
    return this;
  }

  /** A file whose content it begins with; it is copied in, and not written back. Null for zeroed memory. */
  public String getFile() {
    return file;
  }

  public RegionOptions setFile(String file) {
    this.file = file;
    return this;
  }

  /** Rights of peers that open it; a grant gives its own. */
  public Set<RegionAccess> getAccess() {
    return access;
  }

  public RegionOptions setAccess(Set<RegionAccess> access) {
    this.access = EnumSet.noneOf(RegionAccess.class);
    this.access.addAll(access);
    return this;
  }

  /** Rights of peers. */
  @GenIgnore
  public RegionOptions setAccess(RegionAccess... access) {
    return setAccess(Set.of(access));
  }

  /** Names of the devices or fabrics it is exposed on; empty for every device that takes it. A named one that does not is an error. */
  public List<String> getFabrics() {
    return fabrics;
  }

  public RegionOptions setFabrics(List<String> fabrics) {
    this.fabrics = Objects.requireNonNull(fabrics);
    return this;
  }

  public RegionOptions addFabric(String fabric) {
    fabrics.add(Objects.requireNonNull(fabric));
    return this;
  }

  /**
   * Whether the owner's event loop executes the region's atomics even where a device, or a processor on behalf of the peer, could. They are
   * then slower for peers, and wait for that loop; a device does not keep the owner from atomics of its own.
   */
  public boolean isOwnerAtomics() {
    return ownerAtomics;
  }

  public RegionOptions setOwnerAtomics(boolean ownerAtomics) {
    this.ownerAtomics = ownerAtomics;
    return this;
  }
}
