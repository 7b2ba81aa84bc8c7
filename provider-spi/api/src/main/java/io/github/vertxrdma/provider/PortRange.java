package io.github.vertxrdma.provider;

import io.github.vertxrdma.provider.ProviderException.Reason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Range of TCP ports from which a listener takes a free one.
 *
 * @param first 0 if the system chooses the port
 */
public record PortRange(int first, int last) {
  /**
   * System property, and key {@code ports} of {@link DiscoveryOptions#settings}: TCP ports on which fabrics listen, such as {@code
   * 7600-7699}. By default the system chooses. Each listening event loop takes one port for each fabric, and with libfabric's rxm each
   * connecting event loop too.
   */
  public static final String PROPERTY = "vertx.rdma.ports";

  private static final String KEY = "ports";
  private static final int MOST = 65_535;
  private static final Pattern FORM = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");

  public static PortRange of(DiscoveryOptions options) {
    String setting = options.setting(KEY, "");
    if (setting.isEmpty()) {
      return new PortRange(0, 0);
    }
    Matcher ports = FORM.matcher(setting);
    int first = ports.matches() ? Integer.parseInt(ports.group(1)) : 0;
    int last = first > 0 && ports.group(2) != null ? Integer.parseInt(ports.group(2)) : first;
    if (first == 0 || last < first || last > MOST) {
      throw new IllegalArgumentException(
        "cannot use the ports '" + setting + "' of " + PROPERTY + ": they are not a range. Set a first and a"
          + " last port, as in 7600-7699");
    }
    return new PortRange(first, last);
  }

  /**
   * Listens on the first free port.
   *
   * @param host null if the fabric has no IP addresses
   * @param opener listens on an address; null is the device's default
   * @throws ProviderException from the opener, or {@code ADDRESS_IN_USE} if all ports are in use
   */
  public <T> T open(InetAddress host, Function<EndpointAddress, T> opener) {
    if (first == 0 || host == null) {
      return opener.apply(null);
    }
    ProviderException used = null;
    for (int port = first; port <= last; port++) {
      try {
        return opener.apply(EndpointAddress.of(new InetSocketAddress(host, port)));
      } catch (ProviderException e) {
        if (e.reason() != Reason.ADDRESS_IN_USE) {
          throw e;
        }
        used = e;
      }
    }
    throw new ProviderException(Reason.ADDRESS_IN_USE, used.errno(), "cannot listen on " + host.getHostAddress() + ": all ports of "
      + PROPERTY + " from " + first + " to " + last
      + " are in use. Widen the range: each event loop that listens needs a port of each fabric",
      null, used);
  }
}
