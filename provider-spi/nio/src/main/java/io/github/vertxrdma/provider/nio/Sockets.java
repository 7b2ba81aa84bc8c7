package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.nio.channels.Channel;

/** Meanings of socket errors. */
final class Sockets {
  private Sockets() {
  }

  /** Names a failure. @param what what was tried, as in "connect to 10.0.0.1:7" */
  static ProviderException failure(String what, Exception cause) {
    if (cause instanceof ProviderException named) {
      return named;
    }
    String text = String.valueOf(cause.getMessage());
    String problem = "nio: cannot " + what + ": " + text;
    return switch (cause) {
      case BindException e when text.contains("in use") -> new ProviderException(Reason.ADDRESS_IN_USE, problem
        + "; choose another port, or 0 for any", e);
      case BindException e -> new ProviderException(Reason.UNREACHABLE, problem + "; choose an address of this machine", e);
      case NoRouteToHostException e -> new ProviderException(Reason.UNREACHABLE, problem, e);
      case ConnectException e when text.contains("refused") -> new ProviderException(Reason.REFUSED, problem
        + "; nobody listens there", e);
      case ConnectException e when text.contains("timed out") -> new ProviderException(Reason.TIMEOUT, problem, e);
      case ConnectException e -> new ProviderException(Reason.UNREACHABLE, problem, e);
      case IOException e when text.contains("unreachable") -> new ProviderException(Reason.UNREACHABLE, problem, e);
      case IOException e when text.contains("Too many open files") -> new ProviderException(Reason.LIMIT, problem
        + "; raise the limit with 'ulimit -n'", e);
      default -> new ProviderException(Reason.OTHER, problem, cause);
    };
  }

  static void close(Channel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing is left to lose.
    }
  }
}
