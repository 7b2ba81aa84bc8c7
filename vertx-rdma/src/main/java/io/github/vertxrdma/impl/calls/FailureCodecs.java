package io.github.vertxrdma.impl.calls;

import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Subclasses of {@link ReplyException} for which the application has registered a codec. A header of the failure has the codec's name and
 * bytes. Reads the codecs of the event bus by reflection, because Vert.x does not expose them.
 */
final class FailureCodecs {
  private static final Logger LOG = LoggerFactory.getLogger(FailureCodecs.class);
  private static final AtomicBoolean REPORTED = new AtomicBoolean();

  private FailureCodecs() {
  }

  /** Returns the header of the failure, or null if the application has no codec for its class. */
  static MultiMap encode(Vertx vertx, ReplyException failure) {
    MessageCodec<Object, ?> codec = codec(vertx, "lookupCodec", new Class<?>[] {Object.class, String.class, boolean.class}, failure, null,
      false);
    if (codec == null || codec.systemCodecID() != -1) {
      return null;
    }
    Buffer bytes = Buffer.buffer();
    try {
      codec.encodeToWire(bytes, failure);
    } catch (RuntimeException e) {
      report("codec '" + codec.name() + "' failed: " + e);
      return null;
    }
    return MultiMap.caseInsensitiveMultiMap().add(codec.name(), new String(bytes.getBytes(), StandardCharsets.ISO_8859_1));
  }

  /** Returns the failure in a header, or the plain one if this node does not have the codec. */
  static ReplyException decode(Vertx vertx, MultiMap headers, ReplyException plain) {
    Map.Entry<String, String> header = headers.iterator().next();
    MessageCodec<?, ?> codec = codec(vertx, "getCodec", new Class<?>[] {String.class}, header.getKey());
    try {
      return codec != null && codec.decodeFromWire(0,
        Buffer.buffer(header.getValue().getBytes(StandardCharsets.ISO_8859_1))) instanceof ReplyException own ? own : plain;
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      // The peer chose the bytes, and with them perhaps a length or depth.
      report("codec '" + header.getKey() + "' failed: " + e);
      return plain;
    }
  }

  @SuppressWarnings("unchecked")
  private static <T> MessageCodec<T, ?> codec(Vertx vertx, String method, Class<?>[] types, Object... arguments) {
    try {
      Field field = Class.forName("io.vertx.core.eventbus.impl.EventBusImpl", false, Vertx.class.getClassLoader())
        .getDeclaredField("codecManager");
      field.setAccessible(true);
      Object codecs = field.get(vertx.eventBus());
      return (MessageCodec<T, ?>) codecs.getClass().getMethod(method, types).invoke(codecs, arguments);
    } catch (ReflectiveOperationException | RuntimeException e) {
      report(e instanceof InaccessibleObjectException
        ? e + ". Start Java with --add-opens io.vertx.core/io.vertx.core.eventbus.impl=io.github.vertxrdma" : e.toString());
      return null;
    }
  }

  private static void report(String cause) {
    if (REPORTED.compareAndSet(false, true)) {
      LOG.warn("Services pass on subclasses of ReplyException without their class and data: " + cause);
    }
  }
}
