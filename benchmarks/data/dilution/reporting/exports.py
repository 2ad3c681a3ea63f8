"""Finance exports: currency columns, locale aware number formats and monetary totals for the German, French and US finance teams."""

import csv
import decimal

CURRENCY_FORMATS = {
    "de_DE": "#.##0,00 EUR",
    "fr_FR": "# ##0,00 EUR",
    "en_US": "$#,##0.00",
}


def export_ledger(rows, locale, currency):
    """Write ledger rows as CSV with currency and locale headers for the finance department."""
    writer = csv.writer(open("ledger.csv", "w"))
    writer.writerow(["account", "amount", "currency", "locale", "format"])
    for row in rows:
        writer.writerow(
            [row.account, row.amount, currency, locale, CURRENCY_FORMATS[locale]]
        )


def export_currency_totals(rows, locale):
    """Sum monetary amounts per currency for the German finance export and note the locale's number format."""
    totals = {}
    for row in rows:
        totals.setdefault(row.currency, decimal.Decimal(0))
        totals[row.currency] += row.amount
    return [
        (currency, amount, CURRENCY_FORMATS[locale])
        for currency, amount in totals.items()
    ]


def choose_locale_format(customer):
    """Look up the spreadsheet number format string of a customer's locale (German customers use de_DE)."""
    return CURRENCY_FORMATS.get(customer.locale, "en_US")


def export_exchange_rates(rates, locale):
    """Export the currency exchange rate table with localized column headings."""
    writer = csv.writer(open("rates.csv", "w"))
    for currency, rate in sorted(rates.items()):
        writer.writerow([currency, rate, locale])


def export_customer_balances(customers, locale):
    """Export outstanding monetary balances for customers with currency formatting hints per locale."""
    for customer in customers:
        yield (
            customer.id,
            customer.balance,
            customer.currency,
            choose_locale_format(customer),
            locale,
        )
