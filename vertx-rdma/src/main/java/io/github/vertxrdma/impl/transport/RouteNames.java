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

final class RouteNames {
  private static final String PREFIX = "tcp/";

  private RouteNames() {
  }

  static String of(InetAddress ip, int port) {
    return PREFIX + NetUtil.toAddressString(ip) + ':' + port;
  }

  static boolean isRoute(String name) {
    return name.startsWith(PREFIX);
  }

  static String address(String name) {
    return name.substring(PREFIX.length());
  }

  /**
   * Returns the directory names of a bound address. A wildcard stands for all interfaces that are up, except bridges and link-local
   * addresses.
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
      // Without names, clients use TCP.
    }
    return names;
  }

  private static boolean isUp(NetworkInterface each) {
    try {
      return each.isUp();
    } catch (SocketException e) {
      return false;
    }
  }

  /** Returns whether an interface is a bridge, whose address several hosts often share. */
  private static boolean isBridge(NetworkInterface each) {
    return Files.exists(Path.of("/sys/class/net", each.getName(), "bridge"));
  }

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
