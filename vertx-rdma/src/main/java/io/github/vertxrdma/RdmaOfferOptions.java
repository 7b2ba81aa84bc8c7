package io.github.vertxrdma;

import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** Options of an {@link RdmaOffer}. */
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
    this(other.toJson());
  }

  public RdmaOfferOptions(JsonObject json) {
    RdmaOfferOptionsConverter.fromJson(JsonKeys.known(RdmaOfferOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    RdmaOfferOptionsConverter.toJson(this, json);
    return json;
  }

  /**
   * Fabric or device to use; both sides need the same fabric. If null, that of {@link RdmaOptions} is used; if that is null too, the best
   * suitable one.
   */
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
    this.privateData = RdmaConnectOptions.checked(privateData);
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
