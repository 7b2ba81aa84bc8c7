package io.github.vertxrdma.page.impl;

import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Admits requests with the token: in {@code Authorization: Bearer}, in {@code ?token=}, or in a cookie. The response to {@code ?token=}
 * sets the cookie, and redirects to a URL without the token. Requests to the page's own server must name an IP address, {@code localhost}
 * or the configured host. Otherwise a site whose name resolves to this host could read the page (DNS rebinding).
 */
public final class Gate {
  private static final String BEARER = "Bearer ";
  private static final int RANDOM_BYTES = 16;

  private final String token;
  private final String host;
  private final byte[] bytes;
  /** Name of the cookie, different for each page: all ports of a host share cookies. */
  private final String cookie;

  /**
   * @param token null for a random one
   *
   * @param host accepted name besides IP addresses and localhost; null for any
   */
  public Gate(String token, String host) {
    this.host = host;
    this.token = token == null ? random() : token;
    this.bytes = this.token.getBytes(StandardCharsets.UTF_8);
    this.cookie = "vertx-rdma-" + digest().substring(0, 8);
  }

  public String token() {
    return token;
  }

  private static String random() {
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** Returns the value of the cookie: a digest, because cookies allow fewer characters than tokens. */
  private String digest() {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean equal(String given, String right) {
    return given != null && MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
  }

  void handle(RoutingContext context) {
    if (host != null && !isOwn(context.request().authority())) {
      context.response().setStatusCode(403).putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8")
        .end("The Host header of this request is refused. Open this page by its IP address, as localhost, or by the host that "
          + "RdmaPageOptions names.\n");
      return;
    }
    String header = context.request().getHeader(HttpHeaders.AUTHORIZATION);
    Cookie carried = context.request().getCookie(cookie);
    String parameter = context.queryParams().get("token");
    boolean known = equal(parameter, token) || carried != null && equal(carried.getValue(), digest())
      || header != null && header.startsWith(BEARER) && equal(header.substring(BEARER.length()), token);
    if (!known) {
      refuse(context, parameter != null);
    } else if (parameter != null && context.normalizedPath().endsWith("/")) {
      context.response().addCookie(Cookie.cookie(cookie, digest()).setHttpOnly(true).setSameSite(CookieSameSite.LAX)
        .setSecure(context.request().isSSL()).setPath(context.normalizedPath()));
      context.response().setStatusCode(303).putHeader(HttpHeaders.LOCATION, context.normalizedPath()).end();
    } else {
      context.next();
    }
  }

  private boolean isOwn(HostAndPort authority) {
    if (authority == null) {
      return false;
    }
    String name = authority.host();
    if (name.equalsIgnoreCase("localhost") || name.equalsIgnoreCase(host)) {
      return true;
    }
    try {
      InetAddress.ofLiteral(name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static void refuse(RoutingContext context, boolean wrong) {
    context.response().setStatusCode(403).putHeader(HttpHeaders.CONTENT_TYPE, "text/html; charset=utf-8")
      .end(PageRoutes.resource("token.html").replace("{{words}}",
        wrong ? "The token is wrong." : "Enter the token of this page."));
  }
}
