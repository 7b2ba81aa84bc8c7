package io.github.vertxrdma.functions;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.vertx.core.buffer.Buffer;

/** Codecs for Protocol Buffers; needs protobuf-java on the class path. */
public final class ProtobufCodec {
  private ProtobufCodec() {
  }

  /**
   * Returns a codec for the messages of a generated class.
   *
   * @param prototype any message, such as {@code Order.getDefaultInstance()}
   */
  @SuppressWarnings("unchecked")
  public static <M extends MessageLite> Codec<M> of(M prototype) {
    Parser<M> parser = (Parser<M>) prototype.getParserForType();
    return Codec.of(message -> Buffer.buffer(message.toByteArray()), bytes -> {
      try {
        return parser.parseFrom(bytes.getBytes());
      } catch (InvalidProtocolBufferException e) {
        throw new IllegalArgumentException(
          "cannot read a " + prototype.getClass().getName() + " from " + bytes.length() + " bytes: " + e.getMessage(), e);
      }
    });
  }

  public static <A extends MessageLite, R extends MessageLite> TypedFunction<A, R> function(String name, A argument, R result) {
    return new TypedFunction<>(name, of(argument), of(result));
  }
}
