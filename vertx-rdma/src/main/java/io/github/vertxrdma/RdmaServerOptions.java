package io.github.vertxrdma;

import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.util.Objects;

/** Options of a server. */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaServerOptions {
  private JsonObject metadata = new JsonObject();

  public RdmaServerOptions() {
  }

  public RdmaServerOptions(RdmaServerOptions other) {
    metadata = other.metadata.copy();
  }

  public RdmaServerOptions(JsonObject json) {
    RdmaServerOptionsConverter.fromJson(JsonKeys.known(RdmaServerOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RdmaServerOptionsConverter.toJson(this, json);
    return json;
  }

  /** Metadata of the application that the directory publishes with the service's addresses. */
  public JsonObject getMetadata() {
    return metadata;
  }

  public RdmaServerOptions setMetadata(JsonObject metadata) {
    this.metadata = Objects.requireNonNull(metadata);
    return this;
  }
}
