package io.github.vertxrdma;

import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Objects;

/** Options of an offer, which is connected out of band. */
@DataObject
@JsonGen(publicConverter = false)
public class RdmaOfferOptions {
  /** Default of {@link #getPeerTimeout}. */
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

  /** The fabric or device to use, the same on both sides; null for the one of {@link RdmaOptions}, else the best that can. */
  public String getFabric() {
    return fabric;
  }

  public RdmaOfferOptions setFabric(String fabric) {
    this.fabric = fabric;
    return this;
  }

  /** The connection's private data, as the peer sees it; at most 1,024 bytes. */
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

  /** Time that the peer's end may take to connect once this one does. */
  public Duration getPeerTimeout() {
    return peerTimeout;
  }

  public RdmaOfferOptions setPeerTimeout(Duration peerTimeout) {
    this.peerTimeout = Bounds.atLeast("peerTimeout", peerTimeout, 1);
    return this;
  }
}
