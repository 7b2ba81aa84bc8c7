package io.github.vertxrdma;

import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Objects;

/** Options of an offer of an out-of-band connection. */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaOfferOptions {
  public static final Duration DEFAULT_PEER_TIMEOUT = Duration.ofSeconds(30);

  private String fabric;
  private Buffer privateData = Buffer.buffer();
  private Duration peerTimeout = DEFAULT_PEER_TIMEOUT;

  public RdmaOfferOptions() {
  }

  public RdmaOfferOptions(RdmaOfferOptions other) {
    fabric = other.fabric;
    privateData = other.privateData.copy();
    peerTimeout = other.peerTimeout;
  }

  public RdmaOfferOptions(JsonObject json) {
    RdmaOfferOptionsConverter.fromJson(JsonKeys.known(RdmaOfferOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RdmaOfferOptionsConverter.toJson(this, json);
    return json;
  }

  /** Fabric or device to use, the same on both sides; null for that of {@link RdmaOptions}, or otherwise the best suitable one. */
  public String getFabric() {
    return fabric;
  }

  public RdmaOfferOptions setFabric(String fabric) {
    this.fabric = fabric;
    return this;
  }

  /** Private data for the peer; at most 1,024 bytes. */
  public Buffer getPrivateData() {
    return privateData;
  }

  public RdmaOfferOptions setPrivateData(Buffer privateData) {
    if (privateData.length() > 1024) {
      throw new IllegalArgumentException("private data of " + privateData.length() + " bytes: at most 1024; send the rest as a message");
    }
    this.privateData = Objects.requireNonNull(privateData);
    return this;
  }

  /** Time to wait for the peer after this side has called connect. */
  public Duration getPeerTimeout() {
    return peerTimeout;
  }

  public RdmaOfferOptions setPeerTimeout(Duration peerTimeout) {
    this.peerTimeout = Bounds.atLeast("peerTimeout", peerTimeout, 1);
    return this;
  }
}
