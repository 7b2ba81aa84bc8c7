package io.github.vertxrdma.functions;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.EncodeException;
import io.vertx.core.json.Json;
import java.util.Objects;
import java.util.function.Function;

/**
 * How values become bytes and bytes values. Thread-safe.
 *
 * @param <T> the values
 */
public interface Codec<T> {

  /** As bytes; throws a {@link RuntimeException} if the value has no such form. */
  Buffer encode(T value);

  /** Decodes what {@link #encode} wrote; throws a {@link RuntimeException} if the bytes are something else. */
  T decode(Buffer bytes);

  /** Of two functions. */
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

  /** Bytes as they are. */
  static Codec<Buffer> buffer() {
    return of(Function.identity(), Function.identity());
  }

  /** UTF-8. */
  static Codec<String> string() {
    return of(Buffer::buffer, Buffer::toString);
  }

  /**
   * JSON by Vert.x: {@code JsonObject}, {@code JsonArray}, {@code Map}, {@code List}, strings and numbers always; records and beans where
   * Jackson's databind is on the class path.
   */
  static <T> Codec<T> json(Class<T> type) {
    Objects.requireNonNull(type, "type");
    return of(value -> {
      try {
        return Json.encodeToBuffer(value);
      } catch (EncodeException e) {
        throw new IllegalArgumentException("a " + type.getName() + " cannot be written as JSON: " + e.getMessage()
          + "; records and beans need jackson-databind on the class path", e);
      }
    }, bytes -> {
      try {
        return Json.decodeValue(bytes, type);
      } catch (DecodeException | ClassCastException e) {
        throw new IllegalArgumentException(bytes.length() + " bytes are no " + type.getName() + " in JSON: " + e.getMessage()
          + "; records and beans need jackson-databind on the class path", e);
      }
    });
  }
}
