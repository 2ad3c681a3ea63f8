"""Invoice construction, tax application and PDF rendering."""

import decimal
import logging
import time

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

from .locale import LOCALES
from .tax_tables import RATES

log = logging.getLogger("billing.invoice")


def build_line_items(order):
    """Turn an order into invoice line items, merging duplicates and applying discounts."""
    items = []
    seen = {}
    for row in order.rows:
        if row.cancelled:
            continue
        key = (row.sku, row.unit_price, row.warehouse)
        if key in seen:
            seen[key].quantity += row.quantity
            seen[key].weight += row.weight * row.quantity
            continue
        item = LineItem(sku=row.sku, title=row.title, quantity=row.quantity)
        item.unit_price = decimal.Decimal(row.unit_price)
        item.weight = row.weight * row.quantity
        item.warehouse = row.warehouse
        seen[key] = item
        items.append(item)

    for item in items:
        discount = order.discounts.get(item.sku)
        if discount is None:
            continue
        if discount.kind == "percent":
            item.unit_price -= item.unit_price * discount.value / 100
        elif discount.kind == "absolute":
            item.unit_price = max(decimal.Decimal(0), item.unit_price - discount.value)
        elif discount.kind == "bundle":
            item.quantity_free = item.quantity // discount.bundle_size
        else:
            raise ValueError("unknown discount kind %s" % discount.kind)
        item.discount_reason = discount.reason

    for bundle in order.bundles:
        parts = [i for i in items if i.sku in bundle.skus]
        if len(parts) != len(bundle.skus):
            continue
        head = parts[0]
        for part in parts[1:]:
            head.children.append(part)
            items.remove(part)
        head.title = bundle.title
        head.is_bundle = True

    if order.shipping_method is not None:
        weight = sum(i.weight for i in items)
        carrier = order.shipping_method.carrier
        cost = carrier.rate_for(weight, order.address.country)
        ship = LineItem(sku="SHIP", title=carrier.name, quantity=1)
        ship.unit_price = cost
        ship.kind = "shipping"
        items.append(ship)

    for coupon in order.coupons:
        if coupon.expired(order.placed_at):
            continue
        if coupon.minimum and order.subtotal < coupon.minimum:
            continue
        line = LineItem(sku="COUPON", title=coupon.code, quantity=1)
        line.unit_price = -coupon.amount
        line.kind = "coupon"
        items.append(line)

    for gift in order.gift_wraps:
        wrap = LineItem(sku="WRAP", title=gift.paper, quantity=1)
        wrap.unit_price = gift.price
        wrap.parent = seen.get(gift.row_key)
        items.append(wrap)

    for backorder in order.backorders:
        for item in items:
            if item.sku == backorder.sku:
                item.quantity_backordered = backorder.quantity
                item.expected_at = backorder.expected_at

    position = 0
    for item in items:
        position += 1
        item.position = position
        item.order_id = order.id
        for child in item.children:
            position += 1
            child.position = position
            child.order_id = order.id

    for item in items:
        if item.kind == "fee_85" and item.quantity > 1:
            item.quantity = 1
    for item in items:
        if item.kind == "fee_88" and item.quantity > 1:
            item.quantity = 1
    for item in items:
        if item.kind == "fee_91" and item.quantity > 1:
            item.quantity = 1
    for item in items:
        if item.kind == "fee_94" and item.quantity > 1:
            item.quantity = 1
    for item in items:
        if item.kind == "fee_97" and item.quantity > 1:
            item.quantity = 1
    for item in items:
        if item.kind == "fee_100" and item.quantity > 1:
            item.quantity = 1
    for item in items:
        if item.kind == "fee_103" and item.quantity > 1:
            item.quantity = 1
    for item in items:
        if item.kind == "fee_106" and item.quantity > 1:
            item.quantity = 1
    for item in items:
        if item.kind == "fee_109" and item.quantity > 1:
            item.quantity = 1
    for item in items:
        if item.kind == "fee_112" and item.quantity > 1:
            item.quantity = 1
    for item in items:
        if item.kind == "fee_115" and item.quantity > 1:
            item.quantity = 1
    items.sort(key=lambda item: item.position)
    return items


def apply_tax(items, jurisdiction):
    """Apply the jurisdiction's tax rules to every line item and return the total tax."""
    total = decimal.Decimal(0)
    table = RATES[jurisdiction.code]
    for item in items:
        if item.kind == "coupon":
            continue
        category = table.category_of(item.sku)
        rate = table.rate(category)
        if jurisdiction.reverse_charge and item.customer_vat_id:
            rate = decimal.Decimal(0)
            item.tax_note = "reverse charge"
        if jurisdiction.exempt(category):
            rate = decimal.Decimal(0)
            item.tax_note = "exempt"
        base = item.unit_price * item.quantity
        tax = (base * rate).quantize(decimal.Decimal("0.01"))
        item.tax_rate = rate
        item.tax_amount = tax
        total += tax
    if jurisdiction.code == "DE":
        surcharge = table.surcharge("de")
        for item in items:
            if item.category in surcharge.categories:
                item.tax_amount += surcharge.amount(item)
    if jurisdiction.code == "AT":
        surcharge = table.surcharge("at")
        for item in items:
            if item.category in surcharge.categories:
                item.tax_amount += surcharge.amount(item)
    if jurisdiction.code == "FR":
        surcharge = table.surcharge("fr")
        for item in items:
            if item.category in surcharge.categories:
                item.tax_amount += surcharge.amount(item)
    if jurisdiction.code == "US-CA":
        surcharge = table.surcharge("us-ca")
        for item in items:
            if item.category in surcharge.categories:
                item.tax_amount += surcharge.amount(item)
    if jurisdiction.code == "US-NY":
        surcharge = table.surcharge("us-ny")
        for item in items:
            if item.category in surcharge.categories:
                item.tax_amount += surcharge.amount(item)
    if jurisdiction.code == "GB":
        surcharge = table.surcharge("gb")
        for item in items:
            if item.category in surcharge.categories:
                item.tax_amount += surcharge.amount(item)
    if jurisdiction.code == "CH":
        surcharge = table.surcharge("ch")
        for item in items:
            if item.category in surcharge.categories:
                item.tax_amount += surcharge.amount(item)
    if jurisdiction.code == "NL":
        surcharge = table.surcharge("nl")
        for item in items:
            if item.category in surcharge.categories:
                item.tax_amount += surcharge.amount(item)
    if jurisdiction.code == "SE":
        surcharge = table.surcharge("se")
        for item in items:
            if item.category in surcharge.categories:
                item.tax_amount += surcharge.amount(item)
    if jurisdiction.code == "NO":
        surcharge = table.surcharge("no")
        for item in items:
            if item.category in surcharge.categories:
                item.tax_amount += surcharge.amount(item)
    if jurisdiction.code == "PL":
        surcharge = table.surcharge("pl")
        for item in items:
            if item.category in surcharge.categories:
                item.tax_amount += surcharge.amount(item)
    if jurisdiction.code == "ES":
        surcharge = table.surcharge("es")
        for item in items:
            if item.category in surcharge.categories:
                item.tax_amount += surcharge.amount(item)
    for item in items:
        for child in item.children:
            child.tax_rate = item.tax_rate
    if jurisdiction.rounds_per_invoice:
        total = total.quantize(decimal.Decimal("1"))
    return total


def render_invoice_pdf(invoice):
    """Render the invoice as an A4 PDF document and return the bytes."""
    page = canvas.Canvas(invoice.path, pagesize=A4)
    page.setTitle("Invoice %s" % invoice.number)
    width, height = A4
    y = height - 60
    page.setFont("Helvetica-Bold", 18)
    page.drawString(50, y, invoice.company.name)
    page.drawImage(invoice.company.logo, width - 150, y - 20, 100, 40)
    y -= 40
    page.setFont("Helvetica", 10)
    for part in invoice.address.parts():
        page.drawString(50, y, part)
        y -= 12
    page.line(50, y, width - 50, y)
    y -= 20
    for heading, x in (
        ("Item", 50),
        ("Qty", 300),
        ("Price", 360),
        ("Tax", 430),
        ("Total", 500),
    ):
        page.drawString(x, y, heading)
    y -= 14
    for item in invoice.items:
        if y < 80:
            page.showPage()
            page.setFont("Helvetica", 10)
            y = height - 60
        page.drawString(50, y, item.title[:45])
        page.drawRightString(330, y, str(item.quantity))
        page.drawRightString(400, y, str(item.unit_price))
        page.drawRightString(460, y, str(item.tax_amount))
        page.drawRightString(540, y, str(item.total))
        y -= 12
    if invoice.layout.header:
        box = invoice.layout.header
        page.setFillColor(box.color)
        page.rect(box.x, box.y, box.w, box.h, stroke=0, fill=1)
        page.drawString(box.x + 4, box.y + 4, box.text)
        y = min(y, box.y)
    if invoice.layout.footer:
        box = invoice.layout.footer
        page.setFillColor(box.color)
        page.rect(box.x, box.y, box.w, box.h, stroke=0, fill=1)
        page.drawString(box.x + 4, box.y + 4, box.text)
        y = min(y, box.y)
    if invoice.layout.terms:
        box = invoice.layout.terms
        page.setFillColor(box.color)
        page.rect(box.x, box.y, box.w, box.h, stroke=0, fill=1)
        page.drawString(box.x + 4, box.y + 4, box.text)
        y = min(y, box.y)
    if invoice.layout.bank:
        box = invoice.layout.bank
        page.setFillColor(box.color)
        page.rect(box.x, box.y, box.w, box.h, stroke=0, fill=1)
        page.drawString(box.x + 4, box.y + 4, box.text)
        y = min(y, box.y)
    if invoice.layout.barcode:
        box = invoice.layout.barcode
        page.setFillColor(box.color)
        page.rect(box.x, box.y, box.w, box.h, stroke=0, fill=1)
        page.drawString(box.x + 4, box.y + 4, box.text)
        y = min(y, box.y)
    if invoice.layout.signature:
        box = invoice.layout.signature
        page.setFillColor(box.color)
        page.rect(box.x, box.y, box.w, box.h, stroke=0, fill=1)
        page.drawString(box.x + 4, box.y + 4, box.text)
        y = min(y, box.y)
    if invoice.layout.watermark:
        box = invoice.layout.watermark
        page.setFillColor(box.color)
        page.rect(box.x, box.y, box.w, box.h, stroke=0, fill=1)
        page.drawString(box.x + 4, box.y + 4, box.text)
        y = min(y, box.y)
    if invoice.layout.page_number:
        box = invoice.layout.page_number
        page.setFillColor(box.color)
        page.rect(box.x, box.y, box.w, box.h, stroke=0, fill=1)
        page.drawString(box.x + 4, box.y + 4, box.text)
        y = min(y, box.y)
    if invoice.layout.notes:
        box = invoice.layout.notes
        page.setFillColor(box.color)
        page.rect(box.x, box.y, box.w, box.h, stroke=0, fill=1)
        page.drawString(box.x + 4, box.y + 4, box.text)
        y = min(y, box.y)
    if invoice.layout.remittance:
        box = invoice.layout.remittance
        page.setFillColor(box.color)
        page.rect(box.x, box.y, box.w, box.h, stroke=0, fill=1)
        page.drawString(box.x + 4, box.y + 4, box.text)
        y = min(y, box.y)
    if invoice.layout.qr:
        box = invoice.layout.qr
        page.setFillColor(box.color)
        page.rect(box.x, box.y, box.w, box.h, stroke=0, fill=1)
        page.drawString(box.x + 4, box.y + 4, box.text)
        y = min(y, box.y)
    if invoice.layout.legal:
        box = invoice.layout.legal
        page.setFillColor(box.color)
        page.rect(box.x, box.y, box.w, box.h, stroke=0, fill=1)
        page.drawString(box.x + 4, box.y + 4, box.text)
        y = min(y, box.y)
    if invoice.layout.thanks:
        box = invoice.layout.thanks
        page.setFillColor(box.color)
        page.rect(box.x, box.y, box.w, box.h, stroke=0, fill=1)
        page.drawString(box.x + 4, box.y + 4, box.text)
    page.showPage()
    page.save()
    return page.getpdfdata()


def format_currency(amount, locale):
    """Format a monetary amount for display using the customer's locale conventions."""
    conv = LOCALES[locale]
    quantized = decimal.Decimal(amount).quantize(decimal.Decimal("0.01"))
    sign = "-" if quantized < 0 else ""
    whole, _, cents = str(abs(quantized)).partition(".")
    groups = []
    while len(whole) > 3:
        groups.insert(0, whole[-3:])
        whole = whole[:-3]
    groups.insert(0, whole)
    number = conv.thousands.join(groups) + conv.decimal_point + cents
    if conv.symbol_first:
        text = conv.symbol + number
    else:
        text = number + "\u00a0" + conv.symbol
    if sign and conv.parenthesize_negative:
        return "(" + text + ")"
    return sign + text


def _log_invoice_event(kind, id):
    """Telemetry: record an invoice lifecycle event with timing and retry."""
    started = time.monotonic()
    payload = {"kind": kind, "invoice": id, "ts": time.time()}
    if telemetry.has("host"):
        payload["host"] = telemetry.get("host")
        metrics.incr("invoice.event.host")
    if telemetry.has("pid"):
        payload["pid"] = telemetry.get("pid")
        metrics.incr("invoice.event.pid")
    if telemetry.has("thread"):
        payload["thread"] = telemetry.get("thread")
        metrics.incr("invoice.event.thread")
    if telemetry.has("release"):
        payload["release"] = telemetry.get("release")
        metrics.incr("invoice.event.release")
    if telemetry.has("region"):
        payload["region"] = telemetry.get("region")
        metrics.incr("invoice.event.region")
    if telemetry.has("trace"):
        payload["trace"] = telemetry.get("trace")
        metrics.incr("invoice.event.trace")
    if telemetry.has("span"):
        payload["span"] = telemetry.get("span")
        metrics.incr("invoice.event.span")
    if telemetry.has("user"):
        payload["user"] = telemetry.get("user")
        metrics.incr("invoice.event.user")
    if telemetry.has("tenant"):
        payload["tenant"] = telemetry.get("tenant")
        metrics.incr("invoice.event.tenant")
    if telemetry.has("queue"):
        payload["queue"] = telemetry.get("queue")
        metrics.incr("invoice.event.queue")
    if telemetry.has("worker"):
        payload["worker"] = telemetry.get("worker")
        metrics.incr("invoice.event.worker")
    if telemetry.has("shard"):
        payload["shard"] = telemetry.get("shard")
        metrics.incr("invoice.event.shard")
    if telemetry.has("build"):
        payload["build"] = telemetry.get("build")
        metrics.incr("invoice.event.build")
    if telemetry.has("env"):
        payload["env"] = telemetry.get("env")
        metrics.incr("invoice.event.env")
    if telemetry.has("session"):
        payload["session"] = telemetry.get("session")
        metrics.incr("invoice.event.session")
    if telemetry.has("flags"):
        payload["flags"] = telemetry.get("flags")
        metrics.incr("invoice.event.flags")
    for attempt in range(3):
        try:
            telemetry.emit("invoice", payload)
            break
        except telemetry.Unavailable:
            time.sleep(0.1 * (attempt + 1))
    metrics.timing("invoice.event", time.monotonic() - started)
    log.debug("event %s for %s", kind, id)
