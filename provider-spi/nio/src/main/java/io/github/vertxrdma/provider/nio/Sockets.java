package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.SystemError;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.nio.channels.Channel;

final class Sockets {
  private Sockets() {
  }

  /** @param what the failed operation, such as "connect to 10.0.0.1:7" */
  static ProviderException failure(String what, Exception cause) {
    if (cause instanceof ProviderException named) {
      return named;
    }
    SystemError error = cause instanceof LinuxCalls.Failure own ? own.error : SystemError.of(cause);
    String problem = "nio: cannot " + what + ": " + cause.getMessage();
    return switch (error) {
      case EADDRINUSE -> new ProviderException(Reason.ADDRESS_IN_USE, problem + ". Choose another port, or 0 for any free port", cause);
      case EADDRNOTAVAIL -> new ProviderException(Reason.UNREACHABLE, problem + ". Choose an address of this machine", cause);
      case ECONNREFUSED -> new ProviderException(Reason.REFUSED, problem + ". No process listens there", cause);
      case ETIMEDOUT -> new ProviderException(Reason.TIMEOUT, problem, cause);
      case ENETUNREACH, EHOSTUNREACH -> new ProviderException(Reason.UNREACHABLE, problem, cause);
      case EMFILE -> new ProviderException(Reason.LIMIT, problem + ". Raise the limit with 'ulimit -n'", cause);
      case ENFILE -> new ProviderException(Reason.LIMIT, problem + ". Raise the limit with 'sysctl fs.file-max'", cause);
      default -> new ProviderException(isOfTheAddress(cause) ? Reason.UNREACHABLE : Reason.OTHER, problem, cause);
    };
  }

  private static boolean isOfTheAddress(Exception cause) {
    return cause instanceof BindException || cause instanceof ConnectException || cause instanceof NoRouteToHostException;
  }

  static void close(Channel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // The channel is no longer used.
    }
  }
}
