package io.github.vertxrdma.functions;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.codegen.json.annotations.JsonGen;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Signatures that a server accepts on code from clients. Without secret and public keys, it accepts no code. */
@DataObject
@JsonGen(publicConverter = false)
public class CodeOptions {
  public static final int DEFAULT_MAX_BYTES = 8 << 20;

  private int maxBytes = DEFAULT_MAX_BYTES;
  private String secretFile;
  private List<String> publicKeys = new ArrayList<>();

  public CodeOptions() {
  }

  public CodeOptions(CodeOptions other) {
    this(other.toJson());
  }

  public CodeOptions(JsonObject json) {
    CodeOptionsConverter.fromJson(JsonKeys.known(CodeOptions.class, json), this);
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    CodeOptionsConverter.toJson(this, json);
    return json;
  }

  /** Maximum bytes of a jar from a client. Larger jars are refused. */
  public int getMaxBytes() {
    return maxBytes;
  }

  public CodeOptions setMaxBytes(int maxBytes) {
    this.maxBytes = Bounds.atLeast("maxBytes", maxBytes, 1);
    return this;
  }

  /** File with the secret of accepted signatures; null for none. */
  public String getSecretFile() {
    return secretFile;
  }

  public CodeOptions setSecretFile(String secretFile) {
    this.secretFile = secretFile;
    return this;
  }

  /** Ed25519, EC or RSA keys of accepted signatures: Base64 of the X.509 form ({@code PublicKey.getEncoded}). */
  public List<String> getPublicKeys() {
    return publicKeys;
  }

  public CodeOptions setPublicKeys(List<String> publicKeys) {
    this.publicKeys = Objects.requireNonNull(publicKeys);
    return this;
  }

  public CodeOptions addPublicKey(String key) {
    publicKeys.add(Objects.requireNonNull(key));
    return this;
  }
}
