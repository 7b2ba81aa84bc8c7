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

/** Options of a memory region. */
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

  /**
   * Name by which peers open the region, unique in the directory. Empty for a region that is only granted, or used by this process alone.
   */
  public String getName() {
    return name;
  }

  public RegionOptions setName(String name) {
    this.name = Objects.requireNonNull(name);
    return this;
  }

  /** Size in bytes; 0 for the size of the {@link #getFile file}. */
  public long getSize() {
    return size;
  }

  public RegionOptions setSize(long size) {
    if (size < 0) {
      throw new IllegalArgumentException("invalid size of a region: " + size + " bytes. Use 1 or more, or 0 for the size of the file");
    }
    this.size = size;
    return this;
  }

  /**
   * File whose content is copied to the beginning of the memory; null for zeroed memory. Changes of the memory are not written to the file.
   */
  public String getFile() {
    return file;
  }

  public RegionOptions setFile(String file) {
    this.file = file;
    return this;
  }

  /** Rights of peers that open the region by name. A grant specifies its own rights. */
  public Set<RegionAccess> getAccess() {
    return access;
  }

  public RegionOptions setAccess(Set<RegionAccess> access) {
    this.access = EnumSet.noneOf(RegionAccess.class);
    this.access.addAll(access);
    return this;
  }

  @GenIgnore
  public RegionOptions setAccess(RegionAccess... access) {
    return setAccess(Set.of(access));
  }

  /**
   * Names of the devices or fabrics over which peers access the region; empty for every suitable device. Creation fails if a named device
   * refuses the memory.
   */
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
   * True if the owner's event loop executes all atomic operations on the region, even if a device or a peer's processor could. Operations
   * of peers are then slower, but {@link MemoryRegion#fetchAndAdd} always works.
   */
  public boolean isOwnerAtomics() {
    return ownerAtomics;
  }

  public RegionOptions setOwnerAtomics(boolean ownerAtomics) {
    this.ownerAtomics = ownerAtomics;
    return this;
  }
}
