package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Future;
import java.util.function.Supplier;

/** Refuses unencrypted operations if {@link RdmaOptions#isRequireEncryption} is set. */
public final class EncryptionPolicy {
  private EncryptionPolicy() {
  }

  public static <T> Future<T> unless(RdmaOptions options, String what, Supplier<Future<T>> call) {
    return options.isRequireEncryption()
      ? Future.failedFuture(new RdmaException(Reason.ACCESS_DENIED,
        what + " is refused, since requireEncryption is set and this is not encrypted. On a fabric, only TLS of "
          + "NetServer, NetClient, HttpServer and HttpClient is encrypted"))
      : call.get();
  }
}
