"""Where a request comes from, as far as limits need to know."""

from ipaddress import IPv6Address, IPv6Network, ip_address

from starlette.requests import Request


def address_of(request: Request) -> str:
    """The client's address; of version 6 the network, since a client owns many."""
    client = request.client.host if request.client is not None else ""
    try:
        address = ip_address(client)
    except ValueError:
        return client[:100]
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(IPv6Network((int(address), 64), strict=False))
    return str(address)
