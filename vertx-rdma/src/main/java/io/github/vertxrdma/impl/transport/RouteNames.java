package io.github.vertxrdma.impl.transport;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Under which names a TCP address is in the directory. A name alone says little: a loopback or private address is many hosts' own. */
final class RouteNames {
  private static final String PREFIX = "tcp/";

  private RouteNames() {
  }

  /** The name of one address. */
  static String of(InetAddress ip, int port) {
    return PREFIX + NetUtil.toAddressString(ip) + ':' + port;
  }

  /** Whether it is the name of an address. */
  static boolean isRoute(String name) {
    return name.startsWith(PREFIX);
  }

  /** Returns the host and port of the name of an address. */
  static String address(String name) {
    return name.substring(PREFIX.length());
  }

  /**
   * Returns the names of a bound address. Of a wildcard address these are the addresses of all interfaces that are up, except those which
   * mean another host elsewhere: of bridges, and link-local ones.
   */
  static List<String> ofBound(InetSocketAddress bound) {
    if (!bound.getAddress().isAnyLocalAddress()) {
      return List.of(of(bound.getAddress(), bound.getPort()));
    }
    List<String> names = new ArrayList<>();
    try {
      NetworkInterface.networkInterfaces().filter(each -> isUp(each) && !isBridge(each)).flatMap(NetworkInterface::inetAddresses)
        .filter(ip -> !ip.isLinkLocalAddress()).forEach(ip -> names.add(of(ip, bound.getPort())));
    } catch (SocketException e) {
      // Then nobody finds it by an address, and TCP serves.
    }
    return names;
  }

  private static boolean isUp(NetworkInterface each) {
    try {
      return each.isUp();
    } catch (SocketException e) {
      // It was removed.
      return false;
    }
  }

  /** Tells whether it is a bridge of this host's, whose address others have for a bridge of theirs (sysfs, class/net). */
  private static boolean isBridge(NetworkInterface each) {
    return Files.exists(Path.of("/sys/class/net", each.getName(), "bridge"));
  }

  /** The address that a host stands for, without asking anyone; null for a name that only a resolver knows. */
  static InetAddress literal(String host) {
    if (host.equalsIgnoreCase("localhost")) {
      return InetAddress.getLoopbackAddress();
    }
    byte[] ip = NetUtil.createByteArrayFromIpAddressString(host);
    try {
      return ip == null ? null : InetAddress.getByAddress(ip);
    } catch (UnknownHostException e) {
      return null;
    }
  }
}
