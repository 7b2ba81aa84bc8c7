package io.github.vertxrdma.functions;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.EncodeException;
import io.vertx.core.json.Json;
import java.util.Objects;
import java.util.function.Function;

/** Converts values to bytes and back. Thread-safe. */
public interface Codec<T> {

  /** Encodes a value. Throws a {@link RuntimeException} if that is impossible. */
  Buffer encode(T value);

  /** Decodes a value. Throws a {@link RuntimeException} for invalid bytes. */
  T decode(Buffer bytes);

  static <T> Codec<T> of(Function<T, Buffer> encoder, Function<Buffer, T> decoder) {
    Objects.requireNonNull(encoder, "encoder");
    Objects.requireNonNull(decoder, "decoder");
    return new Codec<>() {
      @Override
      public Buffer encode(T value) {
        return encoder.apply(value);
      }

      @Override
      public T decode(Buffer bytes) {
        return decoder.apply(bytes);
      }
    };
  }

  /** Returns a codec that does not change bytes. */
  static Codec<Buffer> buffer() {
    return of(Function.identity(), Function.identity());
  }

  /** Returns a codec for UTF-8. */
  static Codec<String> string() {
    return of(Buffer::buffer, Buffer::toString);
  }

  /** Returns a codec for JSON. Records and beans need jackson-databind on the class path. */
  static <T> Codec<T> json(Class<T> type) {
    Objects.requireNonNull(type, "type");
    return of(value -> {
      try {
        return Json.encodeToBuffer(value);
      } catch (EncodeException e) {
        throw new IllegalArgumentException("a " + type.getName() + " cannot be written as JSON: " + e.getMessage()
          + ". Records and beans need jackson-databind on the class path", e);
      }
    }, bytes -> {
      try {
        return Json.decodeValue(bytes, type);
      } catch (DecodeException | ClassCastException e) {
        throw new IllegalArgumentException(
          "cannot read a " + type.getName() + " from " + bytes.length() + " bytes of JSON: " + e.getMessage()
            + ". Records and beans need jackson-databind on the class path",
          e);
      }
    });
  }
}
